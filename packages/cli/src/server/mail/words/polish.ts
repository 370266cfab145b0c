import type { Language } from '../language.ts'

export const polish: Language = {
  greeting: 'Dzień dobry {{name}},',
  mails: {
    two_factor_code: {
      subject: 'Twój kod logowania',
      before: 'Twój kod logowania to:',
      after: [
        'Działa jeden raz, w ciągu {{expires_in_minutes}} minut.',
        'Jeśli to nie Ty próbujesz się zalogować, ktoś inny zna Twoje hasło: zmień je.',
      ],
    },
    sign_in_code: {
      subject: 'Twój kod logowania',
      before: 'Aby się zalogować, wpisz ten kod na stronie, na której o niego prosisz:',
      after: [
        'Działa jeden raz, tylko na tej stronie, w ciągu {{expires_in_minutes}} minut. Nie podawaj go nikomu.',
        'Jeśli to nie Ty o niego prosisz, nic nie rób.',
      ],
    },
    password_reset: {
      subject: 'Zresetuj hasło',
      before:
        'otrzymaliśmy prośbę o nowe hasło dla {{email}}. Jeśli to Twoja prośba, wpisz ten kod tam, gdzie ją złożono:',
      after: [
        'Działa jeden raz, w ciągu {{expires_in_minutes}} minut.',
        'Jeśli to nie Ty, nie rób nic: Twoje hasło pozostaje bez zmian.',
      ],
    },
    email_verification: {
      subject: 'Potwierdź swój adres e-mail',
      before:
        'aby potwierdzić, że {{email}} to Twój adres, wpisz ten kod tam, gdzie o niego poproszono:',
      after: [
        'Działa jeden raz, w ciągu {{expires_in_hours}} godzin.',
        'Jeśli nie spodziewasz się tej wiadomości, nie rób nic.',
      ],
    },
    invitation: {
      subject: 'Masz zaproszenie',
      before:
        'utworzono dla Ciebie konto z adresem {{email}}. Aby wybrać hasło, wpisz ten kod tam, gdzie o niego poproszono:',
      after: [
        'Działa jeden raz, w ciągu {{expires_in_days}} dni.',
        'Jeśli nie spodziewasz się tej wiadomości, nie rób nic.',
      ],
    },
    email_change: {
      subject: 'Potwierdź swój nowy adres e-mail',
      before:
        'aby {{to}} stał się adresem Twojego konta, wpisz ten kod tam, gdzie poproszono o zmianę:',
      after: [
        'Działa jeden raz, w ciągu {{expires_in_hours}} godzin.',
        'Jeśli nie prosisz o tę zmianę, nie rób nic.',
      ],
    },
    email_change_notice: {
      subject: 'Twój adres e-mail ma zostać zmieniony',
      before:
        'inny adres ma zastąpić {{email}} na Twoim koncie. Jeśli to nie Ty, wpisz ten kod tam, gdzie możesz to zgłosić: zatrzymuje zmianę albo ją cofa:',
      after: [
        'Działa jeden raz, w ciągu {{expires_in_days}} dni.',
        'Jeśli ta zmiana pochodzi od Ciebie, nie rób nic.',
      ],
    },
  },
}
