import type { ProvenPromise } from './promise.ts'

export const promisesOfPersonalData: readonly ProvenPromise[] = [
  {
    said: ['is in no row of the database any more'],
    test: {
      file: 'personal-data/erasure',
      name: 'leaves no byte of name, addresses, roles and metadata, and every event',
    },
    broken: [
      {
        file: 'core/src/capabilities/personal-data/sql/erasure.ts',
        from: '    yield* emptyEvents(user, toTypedPersons(emails))\n',
        to: '',
      },
    ],
  },
  {
    said: ['e-mail addresses (former ones too)'],
    test: {
      file: 'personal-data/imported-addresses',
      name: 'an export lists them, and an erasure leaves none',
    },
    broken: [
      {
        file: 'core/src/capabilities/personal-data/sql/person-events.ts',
        from: 'createOfRows(...tablesWithEmail, formerTable)',
        to: 'createOfRows(...tablesWithEmail)',
      },
    ],
  },
  {
    said: ['from events and stored responses, in one transaction'],
    test: {
      file: 'personal-data/erasure',
      name: 'leaves no byte of name, addresses, roles and metadata, and every event',
    },
    broken: [
      {
        file: 'core/src/capabilities/personal-data/sql/erasure.ts',
        from: 'const replies = yield* run(deleteReplies, user)',
        to: 'const replies: unknown[] = []',
      },
    ],
  },
  {
    said: [
      'Two things stay: if the person has acted as another user, that event, and the session for its hour, keep the actor as the caller wrote it',
    ],
    test: { file: 'sessions/impersonation', name: 'keeps an erased person who acted' },
    broken: [
      {
        file: 'core/src/capabilities/impersonation/impersonate-user.ts',
        from: 'const data = { sessionId: id, impersonatedBy,',
        to: "const data = { sessionId: id, impersonatedBy: '',",
      },
    ],
  },
  {
    said: [
      'A webhook whose request begins after the erasure has answered is sent without the person',
      'so this holds for all processes',
    ],
    test: {
      file: 'webhooks/outdated-events',
      name: 'are sent without the person after an erasure has answered',
    },
    broken: [
      {
        file: 'core/src/capabilities/webhooks/delivery/endpoint-turn.ts',
        from: 'found.hasPerson ? content : { ...content, person: null }',
        to: 'content',
      },
    ],
  },
  {
    said: ['The event `user.erased` is the last about the user.'],
    test: {
      file: 'personal-data/last-event',
      name: 'is user.erased where a sign-in under way is refused',
    },
    broken: [
      {
        file: 'core/src/capabilities/events/sql/record-event.ts',
        from: '.$if(isAboutUser, (only) => only.where(sql<boolean>`exists (select id from subject)`))',
        to: '',
      },
    ],
  },
  {
    said: [
      'A sign-in that found the user before and fails after the erasure is an event that names nobody',
    ],
    test: {
      file: 'personal-data/last-event',
      name: 'is user.erased where a sign-in under way is refused',
    },
    broken: [
      {
        file: 'core/src/capabilities/events/append-event.ts',
        from: 'const subject = { ...event.subject, id: null }\n',
        to: 'const subject = event.subject\n',
      },
    ],
  },
  {
    said: ['and an export under way gets 404'],
    test: {
      file: 'personal-data/last-event',
      name: 'is user.erased where an export is under way, which then gives nothing away',
    },
    broken: [
      {
        file: 'core/src/capabilities/personal-data/export-user.ts',
        from: "if (!(await appendEvent(services, event))) throw new ClienteleError('user_not_found')",
        to: 'await appendEvent(services, event)',
      },
    ],
  },
  {
    said: [
      'What belongs to another user stays as it is, also where it has an address that the person had or asked for.',
    ],
    test: { file: 'personal-data/erasure', name: 'leaves what belongs to others under an address' },
    broken: [
      {
        file: 'core/src/capabilities/personal-data/sql/leave-taken.ts',
        from: 'emails.filter((email) => !taken.has(email))',
        to: '[...emails]',
      },
      {
        file: 'core/src/capabilities/personal-data/sql/untied-rows.ts',
        from: ') is not true`)',
        to: ') is not true or true`)',
      },
    ],
  },
  {
    said: [
      'The receipt lists the data that stays, with the reason.',
      'the receipt lists the data that stays, and why',
    ],
    test: {
      file: 'personal-data/erasure',
      name: 'leaves no byte of name, addresses, roles and metadata, and every event',
    },
    broken: [
      {
        file: 'core/src/capabilities/personal-data/sql/register.ts',
        from: 'retained === undefined ? [] : [{ what, why: retained }]',
        to: 'retained === undefined ? [{ what, why: what }] : []',
      },
    ],
  },
  {
    said: ['a test compares the descriptions with the databases'],
    test: {
      file: 'repository/tables',
      name: 'cover every column of every table, and no other, with its type',
    },
    broken: [
      {
        file: 'core/src/sql/tables/sign-in-tables.ts',
        from: '      window_ends_at: time(),\n',
        to: '',
      },
    ],
  },
  {
    said: ['If there are more than 100 events, they are cleared in parts before that transaction'],
    test: {
      file: 'personal-data/erasure',
      name: 'clears a long history in parts, and goes on where it was interrupted',
    },
    broken: [
      {
        file: 'core/src/capabilities/personal-data/sql/long-history.ts',
        from: 'if ((told?.rows ?? 0) <= emptiedAtOnce) return 0',
        to: 'if ((told?.rows ?? 0) <= 100 * emptiedAtOnce) return 0',
      },
    ],
  },
]
