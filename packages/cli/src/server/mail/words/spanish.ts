import type { Language } from '../language.ts'

export const spanish: Language = {
  greeting: 'Hola, {{name}}:',
  mails: {
    two_factor_code: {
      subject: 'Su código de inicio de sesión',
      before: 'Su código de inicio de sesión es:',
      after: [
        'Sirve una sola vez, durante {{expires_in_minutes}} minutos.',
        'Si usted no ha intentado iniciar sesión, otra persona conoce su contraseña: cámbiela.',
      ],
    },
    sign_in_code: {
      subject: 'Su código de inicio de sesión',
      before: 'Para iniciar sesión, introduzca este código en la página donde lo ha solicitado:',
      after: [
        'Sirve una sola vez, solo en esa página, durante {{expires_in_minutes}} minutos. No se lo dé a nadie.',
        'Si usted no lo ha solicitado, no tiene que hacer nada.',
      ],
    },
    password_reset: {
      subject: 'Restablecer su contraseña',
      before:
        'Se ha solicitado una contraseña nueva para {{email}}. Si ha sido usted, introduzca este código donde la solicitó:',
      after: [
        'Sirve una sola vez, durante {{expires_in_minutes}} minutos.',
        'Si no ha sido usted, no haga nada: su contraseña no cambia.',
      ],
    },
    email_verification: {
      subject: 'Confirmar su dirección de correo electrónico',
      before:
        'Para confirmar que {{email}} es su dirección, introduzca este código donde se le pidió:',
      after: [
        'Sirve una sola vez, durante {{expires_in_hours}} horas.',
        'Si no esperaba este correo, no haga nada.',
      ],
    },
    invitation: {
      subject: 'Ha recibido una invitación',
      before:
        'Se ha creado una cuenta para usted con la dirección {{email}}. Para elegir su contraseña, introduzca este código donde se le pida:',
      after: [
        'Sirve una sola vez, durante {{expires_in_days}} días.',
        'Si no esperaba este correo, no haga nada.',
      ],
    },
    email_change: {
      subject: 'Confirmar su nueva dirección de correo electrónico',
      before:
        'Para que {{to}} sea la dirección de su cuenta, introduzca este código donde pidió el cambio:',
      after: [
        'Sirve una sola vez, durante {{expires_in_hours}} horas.',
        'Si no pidió el cambio, no haga nada.',
      ],
    },
    email_change_notice: {
      subject: 'Su dirección de correo electrónico va a cambiar',
      before:
        'Otra dirección va a sustituir a {{email}} en su cuenta. Si no fue usted, introduzca este código donde pueda avisar de ello: impide el cambio o lo deshace:',
      after: [
        'Sirve una sola vez, durante {{expires_in_days}} días.',
        'Si pidió el cambio, no haga nada.',
      ],
    },
  },
}
