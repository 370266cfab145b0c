import type { Language } from '../language.ts'

export const japanese: Language = {
  greeting: '{{name}} 様',
  mails: {
    two_factor_code: {
      subject: 'ログインコード',
      before: 'ログインコードは次のとおりです。',
      after: [
        'このコードは {{expires_in_minutes}} 分以内に一度だけ使用できます。',
        'ログインしようとした覚えがない場合は、パスワードが他の人に知られています。パスワードを変更してください。',
      ],
    },
    sign_in_code: {
      subject: 'ログインコード',
      before: 'ログインするには、コードをリクエストしたページで次のコードを入力してください。',
      after: [
        'このコードは、そのページでのみ、{{expires_in_minutes}} 分以内に一度だけ使用できます。誰にも教えないでください。',
        'リクエストした覚えがない場合は、何もする必要はありません。',
      ],
    },
    password_reset: {
      subject: 'パスワードの再設定',
      before:
        '{{email}} の新しいパスワードの申請がありました。ご本人の場合は、申請した画面に次のコードを入力してください。',
      after: [
        'このコードは {{expires_in_minutes}} 分以内に一度だけ使用できます。',
        '心当たりがない場合は、何もする必要はありません。パスワードは変わりません。',
      ],
    },
    email_verification: {
      subject: 'メールアドレスの確認',
      before:
        '{{email}} がご自身のアドレスであることを確認するため、求められた画面に次のコードを入力してください。',
      after: [
        'このコードは {{expires_in_hours}} 時間以内に一度だけ使用できます。',
        'このメールに心当たりがない場合は、何もする必要はありません。',
      ],
    },
    invitation: {
      subject: 'ご招待',
      before:
        '{{email}} のアドレスでお客様のアカウントが作成されました。パスワードを設定するには、求められた画面に次のコードを入力してください。',
      after: [
        'このコードは {{expires_in_days}} 日以内に一度だけ使用できます。',
        'このメールに心当たりがない場合は、何もする必要はありません。',
      ],
    },
  },
}
