import type { Language } from '../language.ts'

export const german: Language = {
  greeting: 'Hallo {{name}},',
  mails: {
    two_factor_code: {
      subject: 'Ihr Anmeldecode',
      before: 'Ihr Anmeldecode lautet:',
      after: [
        'Er gilt einmal, innerhalb von {{expires_in_minutes}} Minuten.',
        'Wenn Sie sich nicht anmelden wollten, kennt eine andere Person Ihr Passwort: Bitte ändern Sie es.',
      ],
    },
    sign_in_code: {
      subject: 'Ihr Anmeldecode',
      before:
        'um sich anzumelden, geben Sie diesen Code auf der Seite ein, auf der Sie ihn angefordert haben:',
      after: [
        'Er gilt einmal, nur auf dieser Seite, innerhalb von {{expires_in_minutes}} Minuten. Geben Sie ihn nicht weiter.',
        'Wenn Sie ihn nicht angefordert haben, müssen Sie nichts tun.',
      ],
    },
    password_reset: {
      subject: 'Passwort zurücksetzen',
      before:
        'für {{email}} wurde ein neues Passwort angefordert. Wenn Sie das waren, geben Sie diesen Code dort ein, wo Sie es angefordert haben:',
      after: [
        'Er gilt einmal, innerhalb von {{expires_in_minutes}} Minuten.',
        'Wenn Sie es nicht waren, müssen Sie nichts tun: Ihr Passwort bleibt, wie es ist.',
      ],
    },
    email_verification: {
      subject: 'E-Mail-Adresse bestätigen',
      before:
        'um zu bestätigen, dass {{email}} Ihre Adresse ist, geben Sie diesen Code dort ein, wo Sie danach gefragt wurden:',
      after: [
        'Er gilt einmal, innerhalb von {{expires_in_hours}} Stunden.',
        'Wenn Sie diese E-Mail nicht erwartet haben, müssen Sie nichts tun.',
      ],
    },
    invitation: {
      subject: 'Sie sind eingeladen',
      before:
        'für Sie wurde ein Konto mit der Adresse {{email}} angelegt. Um Ihr Passwort zu wählen, geben Sie diesen Code dort ein, wo Sie danach gefragt werden:',
      after: [
        'Er gilt einmal, innerhalb von {{expires_in_days}} Tagen.',
        'Wenn Sie diese E-Mail nicht erwartet haben, müssen Sie nichts tun.',
      ],
    },
    email_change: {
      subject: 'Neue E-Mail-Adresse bestätigen',
      before:
        'um {{to}} zur Adresse Ihres Kontos zu machen, geben Sie diesen Code dort ein, wo Sie die Änderung angefordert haben:',
      after: [
        'Er gilt einmal, innerhalb von {{expires_in_hours}} Stunden.',
        'Wenn Sie die Änderung nicht angefordert haben, müssen Sie nichts tun.',
      ],
    },
    email_change_notice: {
      subject: 'Ihre E-Mail-Adresse wird geändert',
      before:
        'in Ihrem Konto soll eine andere Adresse {{email}} ersetzen. Wenn Sie das nicht waren, geben Sie diesen Code dort ein, wo Sie es melden können: Er verhindert die Änderung oder macht sie rückgängig:',
      after: [
        'Er gilt einmal, innerhalb von {{expires_in_days}} Tagen.',
        'Wenn Sie die Änderung angefordert haben, müssen Sie nichts tun.',
      ],
    },
  },
}
