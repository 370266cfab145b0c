import { createMarks } from './hostile-calls.ts'

const marks = createMarks(20_000)
const userId = '019dfae2-6a4d-7c3e-9b1f-2f4a5c6d7e8f'
const users = '/client/user'
const bodyBytes = 65_000
const headerBytes = 14_000

interface Parts {
  headers?: Record<string, string>
  body?: string
}

/** Requests with as much of one thing as fits into them, by name, as they are written to the socket. */
export function createHostileRequests(apiKey: string): Record<string, string> {
  const write = (line: string, { headers = {}, body }: Parts = {}): string => {
    const all: Record<string, string | number> = {
      Host: 'localhost',
      Connection: 'close',
      Authorization: `Bearer ${apiKey}`,
      ...(body === undefined
        ? {}
        : { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(body) }),
      ...headers,
    }
    const fields = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`)
    return `${line} HTTP/1.1\r\n${fields.join('')}\r\n${body ?? ''}`
  }
  const post = (path: string, body: string): string => write(`POST ${users}${path}`, { body })
  const create = (changes: object): string => post('', toUser(changes))
  const get = (target: string): string => write(`GET ${users}${target}`)
  const put = (ifMatch: string): string =>
    write(`PUT ${users}/${userId}`, { headers: { 'If-Match': ifMatch }, body: toUser({}) })
  const introspect = (body: string, authorization = 'Bearer x'): string =>
    write(`POST ${users}/auth/introspect`, {
      headers: {
        Authorization: authorization,
        'Content-Type': 'application/x-www-form-urlencoded',
      },
      body,
    })

  return {
    // The first of a kind loads and makes what the others find there.
    'the document of the API': get('/openapi.json'),
    'the first sign-in': post('/auth/login', toUser({})),

    'marks in a name': create({ name: marks }),
    'marks in an e-mail': create({ email: `${marks}@example.com` }),
    'marks in a password': create({ password: marks }),
    'marks in a role': create({ roles: [marks] }),
    'marks in a sign-in': post('/auth/login', JSON.stringify({ email: marks, password: 'x' })),
    'as many marks in a sign-in as are looked at': post(
      '/auth/login',
      JSON.stringify({ email: createMarks(1_278), password: createMarks(3_998) }),
    ),
    'marks in a forgotten password': post('/auth/password/forgot', toUser({ email: marks })),
    'marks in a refresh token': post('/auth/refresh', JSON.stringify({ refresh_token: marks })),
    'marks in a search': get(`?q=${encodeURIComponent(createMarks(2_400))}`),
    'marks in a role that is looked for': get(`?role=${encodeURIComponent(createMarks(2_400))}`),

    'an e-mail of dots': create({ email: 'a.'.repeat(30_000) }),
    'an e-mail of hyphens': create({ email: `a@${'a-'.repeat(120)}` }),
    'an e-mail of labels': create({ email: `a@${`${'a-'.repeat(30)}a.`.repeat(4)}` }),
    'an e-mail of digits': create({ email: `a@${'1.'.repeat(120)}1` }),
    'an e-mail of letters of two units': create({ email: `a@${'𝐚'.repeat(500)}` }),

    'many empty roles': post('', fill('{"roles":[""', ',""', ']}')),
    'many roles that are numbers': post('', fill('{"roles":[0', ',0', ']}')),
    'many roles that are objects': post('', fill('{"roles":[{}', ',{}', ']}')),
    'many members': post(
      '',
      toMembers(5_000, (index) => `m${index}`),
    ),
    'many members of a patch': write(`PATCH ${users}/${userId}`, {
      body: toMembers(5_000, (index) => `m${index}`),
    }),
    'many names in metadata': post('', `{"metadata":${toMembers(5_000, (index) => `${index}`)}}`),
    'long names in metadata': post(
      '',
      `{"metadata":${toMembers(700, (index) => `${'k'.repeat(70)}${index}`)}}`,
    ),
    'names that are not allowed': post('', fill('[{"__proto__":0}', ',{"__proto__":0}', ']')),
    'a name that pointers escape': post('', fill('{"', '~/', '":"\\u0000"}')),
    'deep arrays': post('', '['.repeat(32_000) + ']'.repeat(32_000)),
    'deep objects': post('', `${'{"a":'.repeat(10_000)}0${'}'.repeat(10_000)}`),
    'many arrays': post('', fill('[[]', ',[]', ']')),
    'a long number': post('', fill('{"name":', '9', '}')),
    'a long fraction': post('', fill('{"name":0.', '3', '}')),
    'many infinite numbers': post('', fill('[1e999', ',1e999', ']')),
    'many escapes': post('', fill('{"name":"', '\\u0000', '"}')),
    'half a body of spaces': post('', fill('', ' ', '{')),

    'a token of spaces': post('/auth/validation-token', fill('{"token":"Bearer', ' ', 'x x"}')),
    'a token of dots': post('/auth/validation-token', fill('{"token":"Bearer ', '.', '"}')),
    'a long token': post('/auth/validation-token', fill('{"token":"Bearer ', 'A', '.e30.AA"}')),
    'a token with much in it': post(
      '/auth/validation-token',
      toToken(fill('{"a":[[]', ',[]', ']}', 11_000)),
    ),
    'a token with depth': post(
      '/auth/validation-token',
      toToken(`{"a":${'['.repeat(5_400)}${']'.repeat(5_400)}}`),
    ),

    'a query of nothing': get(`?${'&'.repeat(headerBytes)}`),
    'a repeated parameter': get(`?${'page=1&'.repeat(headerBytes / 7)}`),
    'many parameters': get(`?${Array.from({ length: 2_400 }, (_, at) => `a${at}`).join('&')}`),
    'a query of percent signs': get(`?q=${'%'.repeat(headerBytes)}`),
    'a query of plus signs': get(`?q=${'+'.repeat(headerBytes)}`),
    'a number of many digits': get(`?limit=${'1'.repeat(headerBytes)}`),
    'a long cursor': get(`?cursor=${'A'.repeat(headerBytes)}`),
    'a deep cursor': get(`?cursor=${Buffer.from('['.repeat(1_500)).toString('base64url')}`),
    'a path of many parts': get('/a'.repeat(headerBytes / 2)),
    'a path of slashes': get('/'.repeat(headerBytes)),
    'a path of escapes': get(`/${'%41'.repeat(4_000)}`),
    'a long id': get(`/${'a'.repeat(headerBytes)}`),

    'many entity tags': put(`${'"1",'.repeat(headerBytes / 4)}"2"`),
    'entity tags of quotes': put('"'.repeat(headerBytes + 1)),
    'entity tags of marks of weakness': put('W/'.repeat(headerBytes / 2)),
    'entity tags of commas': put(', '.repeat(headerBytes / 2)),
    'entity tags of spaces': put(`"1"${' '.repeat(headerBytes)}x`),
    'a media type of semicolons': write(`POST ${users}`, {
      headers: { 'Content-Type': `application/json${';'.repeat(headerBytes)}` },
      body: '{}',
    }),
    'many fields': write(`GET ${users}`, {
      headers: Object.fromEntries(Array.from({ length: 1_000 }, (_, at) => [`x${at}`, '1'])),
    }),
    'a long API key': write(`GET ${users}`, {
      headers: { Authorization: `Bearer cu_live_${'0'.repeat(headerBytes)}` },
    }),
    'an API key of spaces': write(`GET ${users}`, {
      headers: { Authorization: `Bearer ${' '.repeat(headerBytes)}x y` },
    }),
    'a user name and password of spaces': introspect('token=x', `Basic${' '.repeat(15_900)}!`),
    'a user name and password of escapes': introspect(
      'token=x',
      `Basic ${Buffer.from(`${'%41'.repeat(3_500)}:`).toString('base64')}`,
    ),
    'a form of many fields': introspect('a&'.repeat(bodyBytes / 2)),
    'a form of many names': introspect(
      Array.from({ length: 10_000 }, (_, at) => `${at}=`).join('&'),
    ),
    'a form of escapes': introspect(`token=${'%41'.repeat(bodyBytes / 3 - 10)}`),
  }
}

/** The requests whose answers are long, for an account that has large users. */
export function createGreedyRequests(apiKey: string): Record<string, string> {
  const get = (query: string): string =>
    `GET ${users}?${query} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nAuthorization: Bearer ${apiKey}\r\n\r\n`
  return {
    'a page of large users': get('limit=100'),
    'a page of large users that are looked for': get('limit=100&q=ada'),
    'a sorted page of large users': get('limit=100&sort=-name'),
  }
}

/** The lists of a large account that walk through it. */
export function createFarRequests(apiKey: string, userCount: number): Record<string, string> {
  const lastPage = Math.floor(userCount / 100)
  const queries = [
    'q=u',
    'q=name&sort=-email',
    'is_active=true',
    'role=group%207',
    'q=u&role=group%207&is_active=true',
    `sort=name&page=${lastPage}`,
    `sort=-email&page=${lastPage}`,
    `page=${lastPage}`,
  ]
  return Object.fromEntries(
    queries.map((query) => [
      query,
      `GET ${users}?limit=100&${query} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nAuthorization: Bearer ${apiKey}\r\n\r\n`,
    ]),
  )
}

function toUser(changes: object): string {
  return JSON.stringify({ name: 'Ada', email: 'ada@example.com', password: 'password', ...changes })
}

function toMembers(count: number, nameOf: (index: number) => string): string {
  return `{${Array.from({ length: count }, (_, index) => `"${nameOf(index)}":0`).join(',')}}`
}

function toToken(payload: string): string {
  return JSON.stringify({ token: `Bearer e30.${Buffer.from(payload).toString('base64url')}.AA` })
}

/** Repeats the middle until the whole has this number of bytes. */
function fill(head: string, unit: string, tail: string, bytes = bodyBytes): string {
  const times = Math.floor((bytes - head.length - tail.length) / Buffer.byteLength(unit))
  return head + unit.repeat(times) + tail
}
