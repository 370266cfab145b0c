import type { Language } from '../language.ts'

export const portuguese: Language = {
  greeting: 'Olá, {{name}}!',
  mails: {
    two_factor_code: {
      subject: 'Seu código de acesso',
      before: 'Seu código de acesso é:',
      after: [
        'Ele vale uma única vez, por {{expires_in_minutes}} minutos.',
        'Se você não tentou entrar, outra pessoa conhece sua senha: altere-a.',
      ],
    },
    sign_in_code: {
      subject: 'Seu código de acesso',
      before: 'Para entrar, digite este código na página em que você o pediu:',
      after: [
        'Ele vale uma única vez, somente nessa página, por {{expires_in_minutes}} minutos. Não o passe a ninguém.',
        'Se você não o pediu, não é preciso fazer nada.',
      ],
    },
    password_reset: {
      subject: 'Redefinir sua senha',
      before:
        'Recebemos um pedido de nova senha para {{email}}. Se foi você, digite este código onde fez o pedido:',
      after: [
        'Ele vale uma única vez, por {{expires_in_minutes}} minutos.',
        'Se não foi você, não faça nada: sua senha continua a mesma.',
      ],
    },
    email_verification: {
      subject: 'Confirmar seu endereço de e-mail',
      before:
        'Para confirmar que {{email}} é o seu endereço, digite este código onde ele foi pedido:',
      after: [
        'Ele vale uma única vez, por {{expires_in_hours}} horas.',
        'Se você não esperava este e-mail, não faça nada.',
      ],
    },
    invitation: {
      subject: 'Você recebeu um convite',
      before:
        'Uma conta foi criada para você com o endereço {{email}}. Para escolher sua senha, digite este código onde ele for pedido:',
      after: [
        'Ele vale uma única vez, por {{expires_in_days}} dias.',
        'Se você não esperava este e-mail, não faça nada.',
      ],
    },
    email_change: {
      subject: 'Confirmar seu novo endereço de e-mail',
      before:
        'Para que {{to}} seja o endereço da sua conta, digite este código onde você pediu a alteração:',
      after: [
        'Ele vale uma única vez, por {{expires_in_hours}} horas.',
        'Se você não pediu a alteração, não faça nada.',
      ],
    },
    email_change_notice: {
      subject: 'Seu endereço de e-mail vai ser alterado',
      before:
        'Outro endereço vai substituir {{email}} na sua conta. Se não foi você, digite este código onde puder avisar: ele impede a alteração ou a desfaz:',
      after: [
        'Ele vale uma única vez, por {{expires_in_days}} dias.',
        'Se você pediu a alteração, não faça nada.',
      ],
    },
  },
}
