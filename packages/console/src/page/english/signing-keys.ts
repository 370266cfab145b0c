export const signingKeys = {
  title: 'Signing keys',
  acts: {
    rotate: {
      title: 'Rotate the signing key',
      verb: 'Rotate',
      text: [
        'A new key is published at once and signs 20 minutes later (or as the server is set), when every verifier has read it. The old key verifies until its last token expires: no valid token is refused.',
        'While a new key waits to sign, this changes nothing.',
      ],
    },
    rotateNow: {
      title: 'Rotate now, in an emergency',
      verb: 'Rotate now',
      text: [
        'A new key signs at once, in every process, and a waiting key is retired. Use this if the current key must stop signing.',
        'Verifiers with a cached key set do not know the new key yet: they refuse its tokens until their caches expire, after five minutes or more.',
      ],
    },
    retire: {
      title: 'Retire a key',
      verb: 'Retire',
      text: [
        'The key no longer signs, but verifies until its last token expires. Use this for a key with an old algorithm.',
        'If the server still uses that algorithm, it creates another key, which verifiers do not know yet.',
      ],
    },
    remove: {
      title: 'Remove a key',
      verb: 'Remove',
      text: [
        'Use this for a stolen key. Every token of the key is refused at once, in every process: users sign in again, or refresh.',
        'Other verifiers keep the key until their caches expire: most within a quarter of an hour. Restart those that use get-jwks.',
      ],
    },
  },
  copyId: 'Copy the key’s id',
  done: {
    rotate: 'The new key is published.',
    rotateNow: 'The new key signs.',
    retire: 'The key no longer signs.',
    remove: 'The key is removed.',
  },
  inTime: 'Keys over time',
  lead: 'The keys that sign this account’s tokens. Verifiers read their public parts from the key set.',
  none: 'No signing key yet',
  noneText:
    'It is created with the account’s first token. Create it now, so that verifiers know it before the first user signs in.',
  phases: {
    published: 'Published',
    signing: 'Signs',
    retired: 'Verifies only',
  },
  published: 'Published',
  remove: 'Remove',
  retire: 'Retire',
  retired: 'retired',
  rotate: 'Rotate',
  rotateNow: 'Rotate now',
  signed: 'started to sign',
  states: { pending: 'Published', active: 'Signs', retired: 'Verifies only' },
  willRetire: 'retires',
  willSign: 'signs',
}
