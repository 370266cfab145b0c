import { randomUUID } from 'node:crypto'
import { type Clientele, createClientele, type Repository } from '@clientele/core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { databases, type OpenDatabase } from '../support/databases.ts'
import { cheapHashing, codeOf, LogRecorder, openRepository } from './open-clientele.ts'

interface Vector {
  name: string
  hash: string
  password: string
}

const hex = (text: string) => Buffer.from(text, 'hex').toString('base64').replaceAll('=', '')

const vectors: Vector[] = [
  {
    name: 'argon2id (phc-winner-argon2, test.c)',
    hash: '$argon2id$v=19$m=65536,t=2,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc',
    password: 'password',
  },
  {
    name: 'argon2i, version 19 (phc-winner-argon2, test.c)',
    hash: '$argon2i$v=19$m=65536,t=2,p=1$c29tZXNhbHQ$wWKIMhR9lyDFvRz9YTZweHKfbftvj+qf+YFY4NeBbtA',
    password: 'password',
  },
  {
    name: 'argon2i, version 16 left out (phc-winner-argon2, test.c)',
    hash: '$argon2i$m=65536,t=2,p=1$c29tZXNhbHQ$9sTbSlTio3Biev89thdrlKKiCaYsjjYVJxGAL3swxpQ',
    password: 'password',
  },
  {
    name: 'argon2d (Rust argon2)',
    hash: '$argon2d$v=19$m=256,t=2,p=1$c29tZXNhbHRzb21lc2FsdA$Bk4EobhGlmY3JFipRIMW+qVnwj7RdfeqfAtTKO/ZsHo',
    password: 'password',
  },
  {
    name: 'bcrypt 2a (crypt_blowfish)',
    hash: '$2a$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW',
    password: 'U*U',
  },
  {
    name: 'bcrypt 2b',
    hash: '$2b$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW',
    password: 'U*U',
  },
  {
    name: 'bcrypt 2y (crypt_blowfish)',
    hash: '$2y$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW',
    password: 'U*U',
  },
  {
    name: 'scrypt (passlib)',
    hash: '$scrypt$ln=16,r=8,p=1$aM15713r3Xsvxbi31lqr1Q$nFNh2CVHVjNldFVKDHDlm4CbdRSCdEBsjjJxD+iCs5E',
    password: 'password',
  },
  {
    name: 'scrypt (RFC 7914, section 12)',
    hash: `$scrypt$ln=10,r=8,p=16$TmFDbA$${hex('fdbabe1c9d3472007856e7190d01e9fe7c6ad7cbc8237830e77376634b3731622eaf30d92e22a3886ff109279d9830dac727afb94a83ee6d8360cbdfa2cc0640')}`,
    password: 'password',
  },
  {
    name: 'PBKDF2 with SHA-256 (passlib)',
    hash: '$pbkdf2-sha256$1212$4vjV83LKPjQzk31VI4E0Vw$hsYF68OiOUPdDZ1Fg.fJPeq1h/gXXY7acBp9/6c.tmQ',
    password: 'password',
  },
  {
    name: 'PBKDF2 with SHA-256, PHC (RFC 7914, section 11)',
    hash: `$pbkdf2-sha256$i=1,l=64$c2FsdA$${hex('55ac046e56e3089fec1691c22544b605f94185216dde0465e68b9d57c20dacbc49ca9cccf179b645991664b39d77ef317c71b845b1e30bd509112041d3a19783')}`,
    password: 'passwd',
  },
  {
    name: "PBKDF2 with SHA-512 (Python's hashlib)",
    hash: '$pbkdf2-sha512$4096$c2FsdA$0Zexsz2wFD4BixLz0dFHnmzevcyXxcD4f2kC4HL0V7UUPzBgJkGz1VzTNZiMs2uEN2Bg7NUy4Dm3QqI5Q0ry1Q',
    password: 'password',
  },
  {
    name: "PBKDF2 with SHA-256 as Django stores it (Python's hashlib)",
    hash: 'pbkdf2_sha256$600000$seasalt2$WU8B3MDXH65lkbzVpv49J7Nfbiy+SNEREOQqXvSD6aQ=',
    password: 'password',
  },
  {
    name: 'PBKDF2 with SHA-1 (RFC 6070)',
    hash: `$pbkdf2$4096$c2FsdA$${hex('4b007901b765489abead49d926f721d065a429c1')}`,
    password: 'password',
  },
  {
    name: 'Firebase (firebase/scrypt, README)',
    hash: '$firebase-scrypt$ln=14,r=8,ss=Bw==,sk=jxspr8Ki0RYycVU8zykbdLGjFQ3McFUH0uiiTvC8pVMXAn210wjLNmdZJzxUECKbm0QsEmYUSDzZvpjeJ9WmXA==$42xEC+ixf3L2lw==$lSrfV15cpx95/sZS2W9c9Kp6i/LVgQNDNC/qzrCnh1SAyZvqmZqAjTdn3aoItz+VHjoZilo78198JAdRuid5lQ==',
    password: 'user1password',
  },
]

/** Each would cost too much, prove too little, or mean something else than it says. */
const refused: Record<string, string> = {
  'argon2 with 4 GiB':
    '$argon2id$v=19$m=4194304,t=1,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc',
  'argon2 with 65 passes':
    '$argon2id$v=19$m=64,t=65,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc',
  'argon2 with much memory and many passes':
    '$argon2id$v=19$m=1048576,t=64,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc',
  'bcrypt with cost 31': '$2b$31$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW',
  'bcrypt of the broken kind': '$2x$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW',
  'bcrypt cut short': '$2b$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyu',
  'scrypt with 16 GiB':
    '$scrypt$ln=24,r=8,p=1$aM15713r3Xsvxbi31lqr1Q$nFNh2CVHVjNldFVKDHDlm4CbdRSCdEBsjjJxD+iCs5E',
  'scrypt with a hash of one byte': '$scrypt$ln=4,r=8,p=1$aM15713r3Xsvxbi31lqr1Q$nA',
  'PBKDF2 with 2 billion iterations':
    '$pbkdf2-sha256$2000000000$c2FsdA$Y11AchqV4b0sUisdZd0Xr97KWoymNE0LNNrnEgY4H9M',
  'PBKDF2 with an empty hash': '$pbkdf2-sha256$1000$c2FsdA$',
  'PBKDF2 with MD5': '$pbkdf2-md5$1000$c2FsdA$Y11AchqV4b0sUisdZd0Xr97KWoymNE0LNNrnEgY4H9M',
  'a parameter given twice':
    '$scrypt$ln=4,ln=4,p=1$aM15713r3Xsvxbi31lqr1Q$nFNh2CVHVjNldFVKDHDlm4CbdRSCdEBsjjJxD+iCs5E',
  'Firebase without its signer key':
    '$firebase-scrypt$ln=14,r=8,ss=Bw==$42xEC+ixf3L2lw==$lSrfV15cpx95/sZS2W9c9A==',
  'the password itself': 'user1password',
  'an unsalted MD5': '5f4dcc3b5aa765d61d8327deb882cf99',
}

describe.each(databases)('stored hashes on $name', ({ open }) => {
  let database: OpenDatabase
  let repository: Repository
  let clientele: Clientele
  let accountId: string
  const logger = new LogRecorder()

  beforeAll(async () => {
    database = await open()
    repository = openRepository(database.url)
    clientele = await createClientele({
      repository,
      logger,
      secrets: ['a secret of the tests, 32 characters'],
      passwords: { hashing: cheapHashing },
    })
    accountId = (await clientele.accounts.create({ name: 'Acme' })).id
  })
  afterAll(async () => {
    await clientele.close()
    await database.close()
  })

  async function importUser(passwordHash: string): Promise<string> {
    const email = `${randomUUID()}@example.com`
    await repository.createUser(accountId, {
      id: randomUUID(),
      email,
      name: 'Imported',
      roles: [],
      metadata: {},
      passwordHash,
      isActive: true,
      createdAt: Date.now(),
    })
    return email
  }
  const storedHash = async (email: string) =>
    (await repository.findCredentials(accountId, email))?.passwordHash

  test.each(vectors)('$name signs in, and is replaced by ours', async ({ hash, password }) => {
    const email = await importUser(hash)
    expect(await codeOf(clientele.auth.logIn(accountId, { email, password: `${password}!` }))).toBe(
      'credentials_invalid',
    )
    expect(await storedHash(email)).toBe(hash)
    await clientele.auth.logIn(accountId, { email, password })
    expect(await storedHash(email)).toMatch(/^\$argon2id\$v=19\$m=64,t=1,p=1\$/)
    await clientele.auth.logIn(accountId, { email, password })
    expect(await codeOf(clientele.auth.logIn(accountId, { email, password: `${password}!` }))).toBe(
      'credentials_invalid',
    )
  })

  test.each(Object.entries(refused))(
    '%s is a failed sign-in and an alarm without the hash',
    async (_, hash) => {
      const email = await importUser(hash)
      logger.lines.length = 0
      for (const password of ['password', 'user1password', 'U*U']) {
        const outcome = await codeOf(clientele.auth.logIn(accountId, { email, password }))
        expect(outcome).toBe('credentials_invalid')
      }
      expect(logger.lines.map(({ level }) => level)).toEqual(['error', 'error', 'error'])
      const logged = JSON.stringify(logger.lines)
      expect(logged).toContain(accountId)
      for (const part of hash.split('$').filter((each) => each.length > 8))
        expect(logged).not.toContain(part)
    },
  )

  test('two first sign-ins at once both succeed, and leave one hash', async () => {
    const email = await importUser('$2b$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW')
    const logIn = () => codeOf(clientele.auth.logIn(accountId, { email, password: 'U*U' }))
    expect(await Promise.all([logIn(), logIn(), logIn(), logIn()])).toEqual(
      Array(4).fill(undefined),
    )
    expect(await codeOf(clientele.auth.logIn(accountId, { email, password: 'U*U' }))).toBe(
      undefined,
    )
  })

  test('the event loop stays free while a costly hash is compared', async () => {
    const email = await importUser('$2b$11$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW')
    let ticks = 0
    const timer = setInterval(() => ticks++, 2)
    await codeOf(clientele.auth.logIn(accountId, { email, password: 'U*U' }))
    clearInterval(timer)
    // Had the comparison held the thread, the timer would have had its turn once at most.
    expect(ticks).toBeGreaterThan(3)
  })
})
