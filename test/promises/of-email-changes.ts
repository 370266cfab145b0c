import type { ProvenPromise } from './promise.ts'

const room = 'core/src/capabilities/email-changes'
const file = 'email-changes/email-changes'

export const promisesOfEmailChanges: readonly ProvenPromise[] = [
  {
    said: [
      '**A change of the address** that a user asks for is confirmed with a token that goes to the new address, once, also when many processes are asked at once.',
    ],
    test: { file, name: 'of many at once, one confirms' },
    broken: [
      {
        file: `${room}/sql/email-change-store.ts`,
        from: 'open?.userId !== userId || open.email !== email || ',
        to: '',
      },
    ],
  },
  {
    said: [
      'The old address gets a token that cancels the change, or takes it back within three days, unless another user of the account has the old address by then: then the user has it again, every session and credential but the password ends, and the password expires.',
    ],
    test: { file, name: 'is taken back by the former one' },
    broken: [
      {
        file: `${room}/sql/email-change-store.ts`,
        from: '      const told = yield* proof.endEnrolled(key, holder.user, events)\n      yield* proof.endSignIns(key, now)\n',
        to: '      const told: NewEvent[] = []\n',
      },
    ],
  },
  {
    said: ['Neither a new password nor further changes that the user asks for end that token;'],
    test: { file, name: 'ends with a later request, another address, a password' },
    broken: [
      {
        file: 'core/src/sql/tables/sign-in-tables.ts',
        from: "  clientele_email_changes: {\n    erasure: 'with the user',\n",
        to: "  clientele_email_changes: {\n    erasure: 'with the user',\n    endsWithPassword: true,\n",
      },
    ],
  },
  {
    said: [
      'a change back to the old address while it is valid ends the tokens of the addresses in between;',
    ],
    test: { file, name: 'is taken back also if the user has the former one again' },
    broken: [
      {
        file: `${room}/sql/email-change-store.ts`,
        from: '      yield* run(rows.deleteBetween, { accountId, userId, email, now })\n',
        to: '',
      },
    ],
  },
  {
    said: [
      'A request for an address that another user has gets the same response and the same mails as any other.',
    ],
    test: { file, name: 'an address that another user has is refused at the confirmation' },
    broken: [
      {
        file: `${room}/request-email-change.ts`,
        from: "  if (sendMail === undefined) throw new ClienteleError('mail_unavailable')\n",
        to: "  if (sendMail === undefined) throw new ClienteleError('mail_unavailable')\n  const { findCredentials } = services.repository.users\n  if (await findCredentials(accountId, email)) throw new ClienteleError('email_taken')\n",
      },
    ],
  },
  {
    said: ['Only hashes of both tokens are stored.'],
    test: {
      file: 'keys/stored-credentials',
      name: 'is stored as a hash: API keys, refresh and e-mail tokens, challenges, recovery codes',
    },
    broken: [
      {
        file: `${room}/request-email-change.ts`,
        from: 'undoHash: hashOpaqueToken(undoToken)',
        to: 'undoHash: undoToken',
      },
    ],
  },
]
