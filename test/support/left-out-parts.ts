/**
 * What `npm test` leaves out of the files that it runs, and `.ci/run` does not, by the file that decides it. A test sees that
 * no file is missing.
 */
export const leftOutParts: Readonly<Record<string, string>> = {
  'http/targets/all': 'half of the pairs of framework and database',
  'http/conformance':
    'most ways to mount the routes, in frameworks the cases of the HTTP contract that the core alone answers and eleven twelfths ' +
    'of those that they only hand on, in Express 4 ' +
    'and Koa 2 all but what routers and parsers decide, on PostgreSQL what is answered before a database is asked, in a ' +
    'named schema most cases',
  'http/packed': 'all but one case of each part of the HTTP contract against the packed server',
  'http/differential':
    'nineteen twentieths of the random requests by which frameworks are compared and of the published strings, Express 4 and Koa 2 there, frameworks on PostgreSQL there, and with a publicUrl every ' +
    'framework but Express 5',
  'testing/tenant-leaks': 'the search for leaks between tenants in frameworks',
  'support/databases':
    'one of the two databases in each file about a capability, half of the files on each; one database where it has no part, or where the HTTP contract asks both for the same: PostgreSQL under commands, the ' +
    'client, passkeys, challenges for a factor, operators and operations of the console, files of imports, issuers and ' +
    'their keys, ID tokens as such, signing keys, host schemas, addresses of webhooks, the validator, the listener of ' +
    'node:http, turns and limits of requests and hashes, callers and tokens that end while they wait, attempts that are ' +
    'not counted, and a full queue of mails; SQLite under the console of the server, mails in the log, observability, ' +
    'capabilities and the end of a server and the answers during an attack',
  'support/kysely-targets': 'most drivers behind Kysely',
  'support/repository-targets': 'most ways to open a repository, the one behind a pooler too',
  'server/standalone-server': 'most of what the server does alone, on PostgreSQL',
  'faults/fair-requests': 'more than 150 requests of an account at once',
  'support/start-server': 'a process for each server',
  'server/mail-webhook': 'a server for most statuses that end the sending of a mail',
  'server/trust-proxy': 'a server for most values of TRUST_PROXY',
  'support/run-command': 'a process for each command',
  'create/apps':
    'most combinations of what npm create clientele asks, and a proxy before all but one of the sites',
  'package/deploy': 'the commands of the files in examples/deploy, run by hand',
  'package/source-files': 'the declarations of the packages, in whose place the sources are read',
  'package/public-modules': 'their list of public names',
  'hooks/beside-webhooks': 'hooks beside costly handshakes of webhooks',
  'browser/hands': 'the console, and the example of signing in, by pointer',
  'console/browser-screens':
    'three of four looks of each screen of the console (light or dark, wide or narrow)',
  'model/model': 'most stories of the model: new ones, for a minute',
  'events/chain': 'the hash chain while old events are deleted',
  'personal-data/erasure': 'the erasure of a long history, on PostgreSQL',
  'power/sqlite-states': 'most states in which a power cut can leave a SQLite file',
  'webhooks/delivery': 'the schedule of nine further attempts, on PostgreSQL',
  'import/import': 'half of the times that an import is killed',
}
