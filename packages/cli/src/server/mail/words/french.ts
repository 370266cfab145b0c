import type { Language } from '../language.ts'

export const french: Language = {
  greeting: 'Bonjour {{name}},',
  mails: {
    two_factor_code: {
      subject: 'Votre code de connexion',
      before: 'votre code de connexion est :',
      after: [
        'Il est valable une seule fois, pendant {{expires_in_minutes}} minutes.',
        'Si vous n’avez pas essayé de vous connecter, une autre personne connaît votre mot de passe : changez-le.',
      ],
    },
    sign_in_code: {
      subject: 'Votre code de connexion',
      before: 'pour vous connecter, saisissez ce code sur la page où vous l’avez demandé :',
      after: [
        'Il est valable une seule fois, sur cette page uniquement, pendant {{expires_in_minutes}} minutes. Ne le donnez à personne.',
        'Si vous ne l’avez pas demandé, vous n’avez rien à faire.',
      ],
    },
    password_reset: {
      subject: 'Réinitialiser votre mot de passe',
      before:
        'un nouveau mot de passe a été demandé pour {{email}}. Si c’était vous, saisissez ce code là où vous l’avez demandé :',
      after: [
        'Il est valable une seule fois, pendant {{expires_in_minutes}} minutes.',
        'Si ce n’était pas vous, ne faites rien : votre mot de passe ne change pas.',
      ],
    },
    email_verification: {
      subject: 'Confirmer votre adresse e-mail',
      before:
        'pour confirmer que {{email}} est votre adresse, saisissez ce code là où il vous a été demandé :',
      after: [
        'Il est valable une seule fois, pendant {{expires_in_hours}} heures.',
        'Si vous n’attendiez pas cet e-mail, ne faites rien.',
      ],
    },
    invitation: {
      subject: 'Vous avez reçu une invitation',
      before:
        'un compte a été créé pour vous, avec l’adresse {{email}}. Pour choisir votre mot de passe, saisissez ce code là où il vous est demandé :',
      after: [
        'Il est valable une seule fois, pendant {{expires_in_days}} jours.',
        'Si vous n’attendiez pas cet e-mail, ne faites rien.',
      ],
    },
    email_change: {
      subject: 'Confirmer votre nouvelle adresse e-mail',
      before:
        'pour que {{to}} devienne l’adresse de votre compte, saisissez ce code là où vous avez demandé le changement :',
      after: [
        'Il est valable une seule fois, pendant {{expires_in_hours}} heures.',
        'Si vous n’avez pas demandé ce changement, ne faites rien.',
      ],
    },
    email_change_notice: {
      subject: 'Votre adresse e-mail va être changée',
      before:
        'une autre adresse doit remplacer {{email}} dans votre compte. Si ce n’était pas vous, saisissez ce code là où vous pouvez le signaler : il empêche le changement ou l’annule :',
      after: [
        'Il est valable une seule fois, pendant {{expires_in_days}} jours.',
        'Si vous avez demandé ce changement, ne faites rien.',
      ],
    },
  },
}
