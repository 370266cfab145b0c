import type { ProvenPromise } from './promise.ts'

export const promisesOfConsole: readonly ProvenPromise[] = [
  {
    said: ['Every operation requires a header that pages of other origins cannot send.'],
    test: {
      file: 'console/page',
      name: 'a request from another page is refused, whatever cookie it carries',
    },
    broken: [
      {
        file: 'core/src/console/http/admit-visitor.ts',
        from: '  assertNotForged(request)\n',
        to: '',
      },
    ],
  },
  {
    said: ['accepts sessions only from a cookie: `HttpOnly`, `SameSite=Strict`'],
    test: {
      file: 'console/sessions',
      name: 'the cookie is sent to the page only, and over https only if callers use that',
    },
    broken: [
      {
        file: 'core/src/console/http/session-cookie.ts',
        from: 'HttpOnly; SameSite=Strict',
        to: 'SameSite=Lax',
      },
    ],
  },
  {
    said: ['encrypted under the secret, valid for one hour'],
    test: {
      file: 'console/sessions',
      name: 'a cookie that was changed, cut, or made under another secret or purpose is refused',
    },
    broken: [
      {
        file: 'core/src/console/console-session.ts',
        from: 'text = encryptor.decrypt(sealed, purpose)',
        to: 'text = decodeURIComponent(sealed)',
      },
      {
        file: 'core/src/console/console-session.ts',
        from: 'return encryptor.encrypt(JSON.stringify(session), purpose)',
        to: 'return encodeURIComponent(JSON.stringify(session)) + (encryptor === undefined ? purpose : "")',
      },
    ],
  },
  {
    said: ['valid for one hour after its last use'],
    test: { file: 'console/sessions', name: 'a session ends an hour after its last use' },
    broken: [
      {
        file: 'core/src/console/lives.ts',
        from: 'export const lifeMs = hourMs',
        to: 'export const lifeMs = 5 * hourMs',
      },
    ],
  },
  {
    said: ['and twelve hours at most'],
    test: {
      file: 'console/sessions',
      name: 'use renews the session once a minute, up to twelve hours from the sign-in; waiting does not',
    },
    broken: [
      {
        file: 'core/src/console/lives.ts',
        from: 'maxLifeMs = 12 * hourMs',
        to: 'maxLifeMs = 120 * hourMs',
      },
    ],
  },
  {
    said: [
      "An account's session has the rights that its API key has at that moment",
      "the key's scopes apply",
    ],
    test: {
      file: 'console/sessions',
      name: 'a key without a scope is refused only the operations that need the scope',
    },
    broken: [
      {
        file: 'core/src/console/http/admit-visitor.ts',
        from: 'if (missing.length > 0) throw scopeInsufficient(missing)',
        to: '',
      },
    ],
  },
  {
    said: ['Sign-ins of an account take turns.'],
    test: {
      file: 'faults/fair-connections',
      name: 'sign-ins of one account to the console wait for each other',
    },
    broken: [
      {
        file: 'core/src/console/sql/console-store.ts',
        from: 'signIns.run(limit.accountId, add)',
        to: 'add()',
      },
    ],
  },
  {
    said: ['a key has at most twenty sessions, and the next one ends the oldest'],
    test: {
      file: 'console/sessions',
      name: 'the 21st session of a key ends its oldest one, and no session of another key',
    },
    broken: [
      {
        file: 'core/src/console/console-session.ts',
        from: 'maxPerKey = 20',
        to: 'maxPerKey = 2_000',
      },
    ],
  },
  {
    said: ['Operators sign in by a one-time link', 'a link that works once, within ten minutes'],
    test: { file: 'console/operators', name: 'a link opens a session of all accounts, once' },
    broken: [
      {
        file: 'core/src/console/sql/console-store.ts',
        from: "        .deleteFrom('clientele_console_links')\n",
        to: "        .updateTable('clientele_console_links')\n        .set({ hash: value('hash') })\n",
      },
    ],
  },
  {
    said: ['that is valid for ten minutes, or by'],
    test: { file: 'console/operators', name: 'a link expires after ten minutes, and is deleted' },
    broken: [
      { file: 'core/src/console/lives.ts', from: 'linkSeconds = 600', to: 'linkSeconds = 6_000' },
    ],
  },
  {
    said: [
      'Every response has a Content-Security-Policy that allows no foreign script and no frame.',
    ],
    test: { file: 'console/page', name: 'every response restricts what a page can do' },
    broken: [
      {
        file: 'core/src/console/http/console-headers.ts',
        from: "script-src 'self'",
        to: 'script-src *',
      },
    ],
  },
  {
    said: ['Signing out ends the session itself, including copies of its cookie.'],
    test: {
      file: 'console/sessions',
      name: 'a copied cookie is invalid after signing out, and with another database',
    },
    broken: [
      {
        file: 'core/src/console/console-session.ts',
        from: 'return repository.console.endSession(nameOf(session))',
        to: 'return nameOf(session) && repository ? Promise.resolve() : Promise.resolve()',
      },
    ],
  },
  {
    said: ['`false` disables the console at `/client/console`, and its links'],
    test: {
      file: 'server/console',
      name: 'CONSOLE=false disables it, and the link begins with PUBLIC_URL',
    },
    broken: [
      {
        file: 'cli/src/server/request-listener.ts',
        from: 'servesConsole ? clienteleListener(consoleRoutes(clientele), options) : routes',
        to: 'clienteleListener(consoleRoutes(clientele), options)',
      },
    ],
  },
]
