import type { ProvenPromise } from './promise.ts'

export const promisesOfOutbound: readonly ProvenPromise[] = [
  {
    said: ['and redirects are not followed'],
    test: { file: 'webhooks/guard', name: 'a redirect is not followed: it is a failure' },
    broken: [
      {
        file: 'core/src/base/outbound/exchange/send-post.ts',
        from: 'const isStatus = status >= 100 && status <= 599',
        to: 'const isStatus = status >= 100 && status <= 599\n        if (status === 307) return void resolve({ status: 204, retryAfter: undefined })',
      },
    ],
  },
  {
    said: ['443, or 1024 and above; any port if `ALLOW_PRIVATE_ADDRESSES` is on'],
    test: { file: 'webhooks/guard', name: 'the port of ' },
    broken: [
      {
        file: 'core/src/capabilities/webhooks/check-webhook-url.ts',
        from: "return port === '' || Number(port) >= firstOpenPort",
        to: "return port === '' || Number(port) >= 1",
      },
    ],
  },
  {
    said: ['private, loopback, link-local, metadata and reserved addresses are refused'],
    test: {
      file: 'keys/outbound-addresses',
      name: 'private, link-local, metadata and reserved ones, in every spelling',
    },
    broken: [
      {
        file: 'core/src/base/outbound/outbound-addresses.ts',
        from: 'if (privateRanges.includes(range)) return allowPrivate ? undefined : privateNetwork',
        to: 'if (privateRanges.includes(range)) return undefined',
      },
    ],
  },
  {
    said: ['are checked by name, and again after resolving'],
    test: {
      file: 'webhooks/guard',
      name: 'a name that resolves elsewhere later is refused at the attempt',
    },
    broken: [
      {
        file: 'core/src/base/outbound/look-up-host.ts',
        from: '    if (problem !== undefined) throw new HostRefused(problem)\n',
        to: '    if (problem === 0 as never) throw new HostRefused(problem)\n',
      },
    ],
  },
  {
    said: ['on the address of the connection'],
    test: { file: 'webhooks/guard', name: 'the connection uses the checked address' },
    broken: [
      {
        file: 'core/src/base/outbound/exchange/open-request.ts',
        from: 'return requestHttp(url, { ...options, agent: false, lookup })',
        to: 'return requestHttp(url, { ...options, agent: false })',
      },
    ],
  },
  {
    said: ['metadata services and other link-local addresses stay refused'],
    test: {
      file: 'keys/outbound-addresses',
      name: 'metadata and reserved ones also where private ones are allowed',
    },
    broken: [
      {
        file: 'core/src/base/outbound/outbound-addresses.ts',
        from: 'if (metadataAddresses.has(parsed.toString())) return closed',
        to: '',
      },
    ],
  },
  {
    said: ['Accounts take turns at DNS look-ups'],
    test: { file: 'webhooks/guard', name: 'names without an answer delay no other account' },
    broken: [
      {
        file: 'core/src/base/outbound/look-up-host.ts',
        from: '  atOncePerKey: 16,',
        to: '  atOncePerKey: 64,',
      },
    ],
  },
  {
    said: ['deliveries start 16 at a time, six per account'],
    test: {
      file: 'webhooks/delivery-slots',
      name: 'sixteen requests start at a time, six of them of one account',
    },
    broken: [
      {
        file: 'core/src/capabilities/webhooks/delivery/delivery-slots.ts',
        from: 'atOncePerAccount = 6',
        to: 'atOncePerAccount = 16',
      },
    ],
  },
  {
    said: ['No request begins after the account was disabled, in whatever process.'],
    test: {
      file: 'webhooks/outdated-events',
      name: 'are not sent while the account is disabled, and once each when it is enabled',
    },
    broken: [
      {
        file: 'core/src/capabilities/webhooks/sql/find-sendable.ts',
        from: "      .where('a.id', '=', value('accountId'))\n      .where('a.disabled_at', 'is', null),\n",
        to: "      .where('a.id', '=', value('accountId')),\n",
      },
      {
        file: 'core/src/capabilities/webhooks/sql/find-sendable.ts',
        from: "      .where((of) => areOf(of.ref('a.id'), value, value('asked')))\n      .where('a.disabled_at', 'is', null)\n",
        to: "      .where((of) => areOf(of.ref('a.id'), value, value('asked')))\n",
      },
    ],
  },
  {
    said: ['A request that takes more than a second no longer counts'],
    test: {
      file: 'webhooks/slow-endpoints',
      name: 'and have failed before delay no second attempt of another account',
    },
    broken: [
      {
        file: 'core/src/capabilities/webhooks/delivery/delivery-slots.ts',
        from: 'quickMs = 1_000',
        to: 'quickMs = 60_000',
      },
    ],
  },
  {
    said: ['endpoints that were slow have eight places of their own'],
    test: {
      file: 'webhooks/delivery-slots',
      name: 'endpoints that had a slow request lately take no slot of the others',
    },
    broken: [
      {
        file: 'core/src/capabilities/webhooks/delivery/delivery-slots.ts',
        from: 'isSlow ? this.#slowSlots : this.#slots',
        to: 'this.#slots',
      },
    ],
  },
  {
    said: ['for each of their endpoints once in five minutes'],
    test: {
      file: 'webhooks/delivery-slots',
      name: 'endpoints that had a slow request lately take no slot of the others',
    },
    broken: [
      {
        file: 'core/src/capabilities/webhooks/delivery/slow-memory.ts',
        from: 'slowForMs = 300_000',
        to: 'slowForMs = 0',
      },
    ],
  },
  {
    said: ['for a quarter of a second each'],
    test: {
      file: 'webhooks/delivery-slots',
      name: 'a request to a slow endpoint gives its slot up after a quarter of a second',
    },
    broken: [
      {
        file: 'core/src/capabilities/webhooks/delivery/delivery-slots.ts',
        from: 'slowHoldMs = 250',
        to: 'slowHoldMs = 1_000',
      },
    ],
  },
  {
    said: ['however often it is changed or replayed'],
    test: {
      file: 'webhooks/slow-endpoints',
      name: 'get one request at a time, however often they are replayed or changed',
    },
    broken: [
      {
        file: 'core/src/capabilities/webhooks/delivery/choose-endpoints.ts',
        from: '.filter(({ id }) => !running.has(id))',
        to: '',
      },
    ],
  },
  {
    said: ['In each process an account sends to twenty endpoints at once at most'],
    test: {
      file: 'webhooks/slow-endpoints',
      name: 'have twenty turns of an account at most, also where endpoints are deleted and created',
    },
    broken: [
      {
        file: 'core/src/capabilities/webhooks/delivery/choose-endpoints.ts',
        from: 'maxTurnsOfAccount = 20',
        to: 'maxTurnsOfAccount = 200',
      },
    ],
  },
  {
    said: ['Accounts that send to fewer are first, and a third of the places is kept'],
    test: {
      file: 'webhooks/slow-endpoints',
      name: 'delay nobody else when they are of thirty accounts',
    },
    broken: [
      {
        file: 'core/src/capabilities/webhooks/delivery/choose-endpoints.ts',
        from: 'reservedTurns = 128',
        to: 'reservedTurns = 0',
      },
    ],
  },
  {
    said: ['are made in one separate thread with a bounded heap'],
    test: {
      file: 'faults/outbound-thread',
      name: 'the first request starts the one thread of the process, and the last close ends it',
    },
    broken: [
      {
        file: 'core/src/base/outbound/outbound.ts',
        from: '      return await findThread().run(exchange, watch)',
        to: "      if (exchange.target === undefined) return await findThread().run(exchange, watch)\n      throw new ThreadUnavailable('off')",
      },
    ],
  },
  {
    said: ['A handshake of more than 32 KiB'],
    test: {
      file: 'faults/costly-certificates',
      name: 'a long chain of certificates is refused before any is verified',
    },
    broken: [
      {
        file: 'core/src/base/outbound/exchange/handshake-stream.ts',
        from: 'maxBytes = 32 * 1024',
        to: 'maxBytes = 32 * 1024 * 1024',
      },
    ],
  },
  {
    said: ['or of more than 100 ms of CPU time, fails'],
    test: {
      file: 'faults/costly-certificates',
      name: 'a handshake that takes more than 100 ms of CPU time fails',
    },
    broken: [
      {
        file: 'core/src/base/outbound/exchange/handshake-stream.ts',
        from: 'maxMs = 100',
        to: 'maxMs = 100_000',
      },
    ],
  },
  {
    said: ["Diffie-Hellman with the server's own numbers"],
    test: {
      file: 'faults/outbound-thread',
      name: 'by https, a server cannot choose its own numbers for Diffie-Hellman',
    },
    broken: [
      { file: 'core/src/base/outbound/exchange/connect-securely.ts', from: ':!kDHE', to: '' },
    ],
  },
  {
    said: ['renegotiation are disabled'],
    test: {
      file: 'faults/outbound-thread',
      name: 'by https, a server cannot ask for further handshakes',
    },
    broken: [
      {
        file: 'core/src/base/outbound/exchange/connect-securely.ts',
        from: 'secureOptions: constants.SSL_OP_NO_RENEGOTIATION',
        to: 'secureOptions: 0 * constants.SSL_OP_NO_RENEGOTIATION',
      },
    ],
  },
  {
    said: ['then requests of the account that chose the server pause for ten times as long'],
    test: {
      file: 'faults/thread-time',
      name: 'after costly handshakes an account pauses ten times as long, and others do not',
    },
    broken: [
      {
        file: 'core/src/base/outbound/thread-time.ts',
        from: 'pauseFactor = 10',
        to: 'pauseFactor = 1',
      },
    ],
  },
  {
    said: ['are aborted if more than five informational responses'],
    test: { file: 'webhooks/guard', name: ' informational ones has the status ' },
    broken: [
      {
        file: 'core/src/base/outbound/exchange/bound-answer.ts',
        from: 'maxInformational = 5',
        to: 'maxInformational = 500',
      },
    ],
  },
  {
    said: ['**Answers of endpoints, other issuers and `MAIL_WEBHOOK`**'],
    test: { file: 'server/mail-webhook-answers', name: ' informational ones is not accepted' },
    broken: [
      {
        file: 'cli/src/server/mail/webhook-sender.ts',
        from: 'maxInformational = 5',
        to: 'maxInformational = 500',
      },
    ],
  },
  {
    said: ['if a document comes in more than 500 pieces of less than 64 bytes on average'],
    test: {
      file: 'keys/hostile-issuers',
      name: 'in one-byte pieces',
      titleIn: 'keys/hostile-key-sets',
    },
    broken: [
      {
        file: 'core/src/base/outbound/exchange/bound-answer.ts',
        from: 'if (pieces.isTooFine)',
        to: 'if (pieces.bytes < 0)',
      },
    ],
  },
  {
    said: ['the account with the most waiting mails loses its newest'],
    test: {
      file: 'server/mail-outbox',
      name: "when all places are taken, the account with the most waiting mails loses its newest, and no other's",
    },
    broken: [
      {
        file: 'cli/src/server/mail/retry-queue.ts',
        from: '      if (waiting.size > (largest?.size ?? 0)) largest = waiting\n',
        to: '      if (waiting.size === 0) largest = waiting\n',
      },
    ],
  },
  {
    said: [
      "share the 1,000 places of the standalone server's waiting mails, and take turns at attempts",
    ],
    test: { file: 'server/mail-outbox', name: 'accounts take turns at attempts: 16 at once' },
    broken: [
      {
        file: 'cli/src/server/mail/retry-queue.ts',
        from: 'if (count < fewest) [next, fewest] = [accountId, count]',
        to: 'next ??= accountId',
      },
      {
        file: 'cli/src/server/mail/retry-queue.ts',
        from: 'if (this.#due.delete(accountId)) this.#due.set(accountId, due)',
        to: '',
      },
    ],
  },
  {
    said: ['If the thread cannot be started'],
    test: { file: 'faults/outbound-thread', name: ', requests are made on the event loop' },
    broken: [
      {
        file: 'core/src/base/outbound/outbound.ts',
        from: '      if (!(error instanceof ThreadUnavailable)) throw error\n',
        to: '      if (error !== undefined) throw error\n',
      },
    ],
  },
  {
    said: [
      'If a name has many addresses, the first 16 of each family are checked, and only these are used.',
    ],
    test: {
      file: 'keys/outbound-addresses',
      name: 'of a name with thousands of addresses only the first are checked, and connected to',
    },
    broken: [
      {
        file: 'core/src/base/outbound/look-up-host.ts',
        from: 'maxOfFamily = 16',
        to: 'maxOfFamily = 1_600',
      },
    ],
  },
]
