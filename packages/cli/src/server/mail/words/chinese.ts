import type { Language } from '../language.ts'

export const chinese: Language = {
  greeting: '{{name}}，您好：',
  mails: {
    two_factor_code: {
      subject: '您的登录验证码',
      before: '您的登录验证码是：',
      after: [
        '验证码在 {{expires_in_minutes}} 分钟内有效，只能使用一次。',
        '如果您没有尝试登录，说明有人知道您的密码：请修改密码。',
      ],
    },
    sign_in_code: {
      subject: '您的登录验证码',
      before: '如需登录，请在您请求验证码的页面输入以下验证码：',
      after: [
        '验证码仅限在该页面使用一次，在 {{expires_in_minutes}} 分钟内有效。请勿告诉任何人。',
        '如果您没有请求验证码，则无需任何操作。',
      ],
    },
    password_reset: {
      subject: '重置您的密码',
      before:
        '我们收到了为 {{email}} 设置新密码的请求。如果是您本人的请求，请在提出请求的页面输入此验证码：',
      after: [
        '验证码在 {{expires_in_minutes}} 分钟内有效，只能使用一次。',
        '如果不是您本人的请求，无需任何操作：您的密码保持不变。',
      ],
    },
    email_verification: {
      subject: '确认您的电子邮件地址',
      before: '要确认 {{email}} 是您的地址，请在要求输入的页面输入此验证码：',
      after: [
        '验证码在 {{expires_in_hours}} 小时内有效，只能使用一次。',
        '如果您没有预料到这封邮件，无需任何操作。',
      ],
    },
    invitation: {
      subject: '您收到一份邀请',
      before: '已使用地址 {{email}} 为您创建了账户。要设置密码，请在要求输入的页面输入此验证码：',
      after: [
        '验证码在 {{expires_in_days}} 天内有效，只能使用一次。',
        '如果您没有预料到这封邮件，无需任何操作。',
      ],
    },
    email_change: {
      subject: '确认您的新电子邮件地址',
      before: '要将 {{to}} 设为您账户的地址，请在申请更改的页面输入此验证码：',
      after: [
        '验证码在 {{expires_in_hours}} 小时内有效，只能使用一次。',
        '如果您没有申请更改，无需任何操作。',
      ],
    },
    email_change_notice: {
      subject: '您的电子邮件地址将被更改',
      before:
        '有人申请用另一个地址替换您账户中的 {{email}}。如果不是您本人的操作，请在可以报告的页面输入此验证码，以阻止或撤销更改：',
      after: [
        '验证码在 {{expires_in_days}} 天内有效，只能使用一次。',
        '如果是您申请的更改，无需任何操作。',
      ],
    },
  },
}
