import type { Language } from '../language.ts'

export const italian: Language = {
  greeting: 'Ciao {{name}},',
  mails: {
    two_factor_code: {
      subject: 'Il tuo codice di accesso',
      before: 'il tuo codice di accesso è:',
      after: [
        'Vale una sola volta, entro {{expires_in_minutes}} minuti.',
        'Se non hai provato ad accedere, un’altra persona conosce la tua password: cambiala.',
      ],
    },
    sign_in_code: {
      subject: 'Il tuo codice di accesso',
      before: 'per accedere, inserisci questo codice nella pagina in cui lo hai richiesto:',
      after: [
        'Vale una sola volta, solo in quella pagina, entro {{expires_in_minutes}} minuti. Non darlo a nessuno.',
        'Se non lo hai richiesto, non devi fare nulla.',
      ],
    },
    password_reset: {
      subject: 'Reimposta la password',
      before:
        'è stata richiesta una nuova password per {{email}}. Se l’hai richiesta tu, inserisci questo codice dove l’hai richiesta:',
      after: [
        'Vale una sola volta, entro {{expires_in_minutes}} minuti.',
        'Se non sei stato tu, non fare nulla: la tua password non cambia.',
      ],
    },
    email_verification: {
      subject: 'Conferma il tuo indirizzo e-mail',
      before:
        'per confermare che {{email}} è il tuo indirizzo, inserisci questo codice dove ti è stato chiesto:',
      after: [
        'Vale una sola volta, entro {{expires_in_hours}} ore.',
        'Se non ti aspettavi questa e-mail, non fare nulla.',
      ],
    },
    invitation: {
      subject: 'Hai ricevuto un invito',
      before:
        'è stato creato per te un account con l’indirizzo {{email}}. Per scegliere la password, inserisci questo codice dove ti viene chiesto:',
      after: [
        'Vale una sola volta, entro {{expires_in_days}} giorni.',
        'Se non ti aspettavi questa e-mail, non fare nulla.',
      ],
    },
    email_change: {
      subject: 'Conferma il tuo nuovo indirizzo e-mail',
      before:
        'per fare di {{to}} l’indirizzo del tuo account, inserisci questo codice dove hai chiesto la modifica:',
      after: [
        'Vale una sola volta, entro {{expires_in_hours}} ore.',
        'Se non hai chiesto la modifica, non fare nulla.',
      ],
    },
    email_change_notice: {
      subject: 'Il tuo indirizzo e-mail sta per cambiare',
      before:
        'un altro indirizzo deve sostituire {{email}} nel tuo account. Se non sei stato tu, inserisci questo codice dove puoi segnalarlo: impedisce la modifica o la annulla:',
      after: [
        'Vale una sola volta, entro {{expires_in_days}} giorni.',
        'Se hai chiesto la modifica, non fare nulla.',
      ],
    },
  },
}
