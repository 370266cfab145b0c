// What programs and standards have for a password, in the forms that many programs share. In brackets: where it is from.

export interface Vector {
  name: string
  hash: string
  password: string
}

const hex = (text: string) => Buffer.from(text, 'hex').toString('base64').replaceAll('=', '')

export const vectors: Vector[] = [
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
    hash: 'pbkdf2_sha256$12000$seasalt2$uxlEDHmMsjsY9yZfpXEbLsGF6DSalcXos3eIND0DYHg=',
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
