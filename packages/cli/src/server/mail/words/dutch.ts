import type { Language } from '../language.ts'

export const dutch: Language = {
  greeting: 'Hallo {{name}},',
  mails: {
    two_factor_code: {
      subject: 'Uw inlogcode',
      before: 'uw inlogcode is:',
      after: [
        'De code werkt één keer, binnen {{expires_in_minutes}} minuten.',
        'Als u niet hebt geprobeerd in te loggen, kent iemand anders uw wachtwoord: wijzig het.',
      ],
    },
    sign_in_code: {
      subject: 'Uw inlogcode',
      before: 'voer deze code in op de pagina waar u hem hebt aangevraagd om in te loggen:',
      after: [
        'De code werkt één keer, alleen op die pagina, binnen {{expires_in_minutes}} minuten. Geef hem aan niemand.',
        'Als u hem niet hebt aangevraagd, hoeft u niets te doen.',
      ],
    },
    password_reset: {
      subject: 'Uw wachtwoord opnieuw instellen',
      before:
        'er is een nieuw wachtwoord aangevraagd voor {{email}}. Als u dat was, voer deze code dan in waar u het hebt aangevraagd:',
      after: [
        'De code werkt één keer, binnen {{expires_in_minutes}} minuten.',
        'Als u dit niet was, hoeft u niets te doen: uw wachtwoord blijft zoals het is.',
      ],
    },
    email_verification: {
      subject: 'Bevestig uw e-mailadres',
      before:
        'om te bevestigen dat {{email}} uw adres is, voert u deze code in waar erom is gevraagd:',
      after: [
        'De code werkt één keer, binnen {{expires_in_hours}} uur.',
        'Als u deze e-mail niet verwachtte, hoeft u niets te doen.',
      ],
    },
    invitation: {
      subject: 'U bent uitgenodigd',
      before:
        'er is een account voor u aangemaakt met het adres {{email}}. Om uw wachtwoord te kiezen, voert u deze code in waar erom wordt gevraagd:',
      after: [
        'De code werkt één keer, binnen {{expires_in_days}} dagen.',
        'Als u deze e-mail niet verwachtte, hoeft u niets te doen.',
      ],
    },
    email_change: {
      subject: 'Bevestig uw nieuwe e-mailadres',
      before:
        'om {{to}} het adres van uw account te maken, voert u deze code in waar u om de wijziging hebt gevraagd:',
      after: [
        'De code werkt één keer, binnen {{expires_in_hours}} uur.',
        'Als u niet om de wijziging hebt gevraagd, hoeft u niets te doen.',
      ],
    },
    email_change_notice: {
      subject: 'Uw e-mailadres wordt gewijzigd',
      before:
        'in uw account moet een ander adres {{email}} vervangen. Als u dat niet was, voert u deze code in waar u het kunt melden: zij houdt de wijziging tegen of maakt haar ongedaan:',
      after: [
        'De code werkt één keer, binnen {{expires_in_days}} dagen.',
        'Als u om de wijziging hebt gevraagd, hoeft u niets te doen.',
      ],
    },
  },
}
