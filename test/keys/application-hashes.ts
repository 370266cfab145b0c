// What other programs have stored for a password. In brackets: the program that was run to make it, or, where that could
// not be run, who published it.

import type { Vector } from './hash-vectors.ts'

const greeting = 'Grüße, Wörld 1'
const ninetyDigits = '0123456789'.repeat(9)

export const applicationHashes: Vector[] = [
  {
    name: 'bcrypt of old passlib, with bits behind those of the salt and the digest',
    hash: '$2b$04$TwHKXZQsMqZDFiook9o9ZfPfuqw4e1bOBFZSGGVgyQuBGWWx0KmrH',
    password: 'password',
  },
  {
    name: 'Django argon2 (Django 4.2.28)',
    hash: 'argon2$argon2id$v=19$m=102400,t=2,p=8$THVTWVJRdzRBRk41R2R4eGFRSDhmVg$eE84t57YJd2U84M0dPxKRQ',
    password: greeting,
  },
  {
    name: 'Django bcrypt (Django 4.2.28)',
    hash: 'bcrypt$$2b$04$nPMxgXx0GjfwGf.aCcNExuFP90TfT1.v.JegYyRBXLejxoCgPLxCa',
    password: greeting,
  },
  {
    name: 'Django bcrypt_sha256 (Django 4.2.28)',
    hash: 'bcrypt_sha256$$2b$04$kf1FAkYsruvUo3jOD6.1F.FwA7/bePcMoCGhDuLTQej9rL1uUXSA2',
    password: greeting,
  },
  {
    name: 'Django bcrypt_sha256 of 90 bytes (Django 4.2.28)',
    hash: 'bcrypt_sha256$$2b$04$s3wnCRIXslouTJDZUD5/j.vHB6BJ8NPaELFyIAzDxgg7EiAXvR8Hi',
    password: ninetyDigits,
  },
  {
    name: 'Django scrypt (Django 4.2.28)',
    hash: 'scrypt$16384$iLWkalvERqui65jYHo7off$8$1$09gUD9Rl7sEvt3oU6GU1Ay+vJYodavH4JQ+F63O/FMrO62Cg90fF+vs4P50ZC/olHtNXD7229QVubh0YcaWFTA==',
    password: greeting,
  },
  {
    name: 'Django PBKDF2 with SHA-256 (Django 4.2.28)',
    hash: 'pbkdf2_sha256$600000$jL0TCnh3ql4EZW4nRxRBb9$PODNrT4cOJ2z1uMG6Sjq8FJQ5N8yB7gZn4LiU9xq+og=',
    password: greeting,
  },
  {
    name: 'Django PBKDF2 with SHA-1 (Django 4.2.28)',
    hash: 'pbkdf2_sha1$600000$60UqVWhCQdkWwrLqV2g8yR$nuwnDAaMNRf5SOUawQK9ybOzom0=',
    password: greeting,
  },
  {
    name: 'Werkzeug scrypt (Werkzeug 3.1.3)',
    hash: 'scrypt:32768:8:1$j5VheGjIqbZe10Sk$9b32f1463fcdbe83a875ac4ab0498c88aa01793aaf23a951c7ad308f346828544435458869815f2bbe0f0cd79943a768d9ade8e83876593235d1a653a1fdab5c',
    password: greeting,
  },
  {
    name: 'Werkzeug PBKDF2 (Werkzeug 3.1.3)',
    hash: 'pbkdf2:sha256:1000000$T5Kb5yEU71EWvYXQ$59a3828277d35b1a5c4a774ff1c96d3dab108d339fc58d744e219941d1e717ce',
    password: greeting,
  },
  {
    name: 'Werkzeug PBKDF2 with SHA-512 (Werkzeug 3.1.3)',
    hash: 'pbkdf2:sha512:1000$gBLQP9SFD4fOgcja$8fc43600a12371385b18c0d3059edc9d7d82c0665438d7bea77d3501a044173e9ba360e7188bdac69bb441ca8645784d776a2856c8806b70bd13a4379ce81660',
    password: greeting,
  },
  {
    name: 'WordPress bcrypt (wp_hash_password of WordPress 6.8.7)',
    hash: '$wp$2y$04$r5ZhvTMRCxHPSKhNR0ocaumBc89e/9QbdJ1FxkB0evoduVRe3c3ZW',
    password: greeting,
  },
  {
    name: 'WordPress bcrypt of 90 bytes (wp_hash_password of WordPress 6.8.7)',
    hash: '$wp$2y$04$sl2hW2QBEAYGvqCRj/8j8uCTpygXJHR.B93EsfDEZzIUcCV.ERQL6',
    password: ninetyDigits,
  },
  {
    name: 'WordPress phpass (wp_hash_password with the PasswordHash of WordPress 6.8.7)',
    hash: '$P$B2osj23fXIKlc8KEVvsTqb2YUvV/KH0',
    password: greeting,
  },
  {
    name: 'WordPress bcrypt of what came through a form (wp_slash, WordPress 6.8.7)',
    hash: '$wp$2y$04$GnfZowVjLFQ4gGSb9O4L/.sC./cVJUo6mYnP5k6wLSwYZXT0N2Qr2',
    password: 'it\'s a "password"',
  },
  {
    name: 'WordPress phpass of what came through a form (wp_slash, WordPress 6.8.7)',
    hash: '$P$BSjzWE6/dsoM6Rj43E/2ShPW3WO9nn.',
    password: 'it\'s a "password"',
  },
  {
    name: 'WordPress bcrypt of quotes that came otherwise (WordPress 6.8.7)',
    hash: '$wp$2y$04$84WEEM056cl1tjHr95eb1egYp2fpn191npHSPidZCX9mXj.GBXNqG',
    password: 'it\'s a "password"',
  },
  {
    name: 'better-auth (better-auth 1.6.34)',
    hash: '1ec9167395acca4bf7e693bd0713ac1b:ae0a12ac6d48879abb39938f9b13fd82b96a086ab84942da56295f686ba3942d69176a40b7f48bdc5554791a91f92a6612b7efb35ff448ae0e1486d2dd1f170a',
    password: greeting,
  },
  {
    name: 'Spring {bcrypt} (spring-security-crypto 7.2.0-SNAPSHOT)',
    hash: '{bcrypt}$2a$04$Gsk5dVOGESxz7hLynbqAjeQxuwQjM1Oeq7Xn8XvcIDQH742/Y/G6S',
    password: greeting,
  },
  {
    name: 'Spring {pbkdf2} (spring-security-crypto 7.2.0-SNAPSHOT)',
    hash: '{pbkdf2}efd057cdeec1b322fd35ffac1308795ffac9260b9b525cda1234554d64267fa9b479e9e180bcc394',
    password: greeting,
  },
  {
    name: 'Spring {pbkdf2@SpringSecurity_v5_8} (spring-security-crypto 7.2.0-SNAPSHOT)',
    hash: '{pbkdf2@SpringSecurity_v5_8}931073749aeb8c6f72a97564831be78a2007767bc40b0e9182ec1d02f2864cd67f2bbb83dd4a647cf4b14aee7e9c8c2a',
    password: greeting,
  },
  {
    name: 'Spring {scrypt} (spring-security-crypto 7.2.0-SNAPSHOT)',
    hash: '{scrypt}$e0801$jxG+KTgC6St0VOFG+a3VFvO2VC6COpB0F4M75QPAO6jZRgcn3GgZ7/NzFRWV9QMEdMMF2nahRVYY5r8o0y8LbQ==$RgIe6l6no1/eU5iG6aVgaoPybtHaBPRDCMnXYSe/A0Q=',
    password: greeting,
  },
  {
    name: 'Spring {scrypt@SpringSecurity_v5_8} (spring-security-crypto 7.2.0-SNAPSHOT)',
    hash: '{scrypt@SpringSecurity_v5_8}$100801$utAV+uNK6MU06FpYWwBd/g==$vl6ELSLi9PhXpnefGFLV8J9ba+VPwsuYov2WdMhhPfc=',
    password: greeting,
  },
  {
    name: 'Spring {argon2} (spring-security-crypto 7.2.0-SNAPSHOT)',
    hash: '{argon2}$argon2id$v=19$m=4096,t=3,p=1$1NQQl5t3uz9PCpK7ESF1LA$jpZ50BzR0EHVpd+cQQhTwKWIgkc8aNtpQRML5w9tMcM',
    password: greeting,
  },
  {
    name: 'Spring {argon2@SpringSecurity_v5_8} (spring-security-crypto 7.2.0-SNAPSHOT)',
    hash: '{argon2@SpringSecurity_v5_8}$argon2id$v=19$m=16384,t=2,p=1$1Om5p4brgD85cCSd7Nl3JQ$4XUflh8SslV+cH7wF3RFQoqwAPI89HuJJ+RiSccWQYY',
    password: greeting,
  },
  {
    name: 'ASP.NET Core Identity 3, SHA-512 (published: PasswordHasherTest of dotnet/aspnetcore)',
    hash: 'AQAAAAIAAYagAAAAEAABAgMEBQYHCAkKCwwNDg/Q8A0WMKbtHQJQ2DHCdoEeeFBrgNlldq6vH4qX/CGqGQ==',
    password: 'my password',
  },
  {
    name: 'ASP.NET Core Identity 3, SHA-256 (published: PasswordHasherTest of dotnet/aspnetcore)',
    hash: 'AQAAAAEAA9CQAAAAIESkQuj2Du8Y+kbc5lcN/W/3NiAZFEm11P27nrSN5/tId+bR1SwV8CO1Jd72r4C08OLvplNlCDc3oQZ8efcW+jQ=',
    password: 'my password',
  },
  {
    name: 'ASP.NET Core Identity 3, SHA-1 (published: PasswordHasherTest of dotnet/aspnetcore)',
    hash: 'AQAAAAAAAAD6AAAAEAhftMyfTJylOlZT+eEotFXd1elee8ih5WsjXaR3PA9M',
    password: 'my password',
  },
  {
    name: 'ASP.NET Identity 2 (published: PasswordHasherTest of dotnet/aspnetcore)',
    hash: 'ANXrDknc7fGPpigibZXXZFMX4aoqz44JveK6jQuwY3eH/UyPhvr5xTPeGYEckLxz9A==',
    password: 'my password',
  },
  {
    name: "Keycloak PBKDF2 with SHA-256 (published: Keycloak's own migration-realm-26.6.0.json)",
    hash: JSON.stringify({
      id: 'b22fe342-e3b6-4e31-a76c-7f7ffdeb83ab',
      type: 'password',
      createdDate: 1570002786025,
      secretData:
        '{"value":"kNwotFPNeuwelpT1HWt+E4ONXFK6wjd+h0zbzNBRGwOqacAjeY7vYN9QZQ46DlEKSdn04cEU/3RvX8WPcRegxg==","salt":"rEIJDbs+BQqpx31v8mONWA=="}',
      credentialData:
        '{"hashIterations":27500,"algorithm":"pbkdf2-sha256","additionalParameters":{}}',
    }),
    password: 'password2',
  },
  {
    name: 'Keycloak PBKDF2 with SHA-512 (published: dump of a Keycloak database, April 2024)',
    hash: JSON.stringify({
      secretData:
        '{"value":"HCJAtcg3qzlgyCd33AtScHolZv8SYlfEWm/5qHT39d0NtNnQDniWQoMRlaNa6QLVU/kqk93DB962s9TY+gd6Yw==","salt":"Vcw+Pb66cmbFfz0kNPL9qw==","additionalParameters":{}}',
      credentialData:
        '{"hashIterations":210000,"algorithm":"pbkdf2-sha512","additionalParameters":{}}',
    }),
    password: 'password',
  },
  {
    name: 'Keycloak Argon2 (published: dump of a Keycloak database, July 2026)',
    hash: JSON.stringify({
      secretData:
        '{"value":"xPVi4Y728BTkjonAEd395cEbNI1UY8w+4Gp9YftkbJ0=","salt":"28ok9Hqf/nAYEXJ3toyfuA==","additionalParameters":{}}',
      credentialData:
        '{"hashIterations":5,"algorithm":"argon2","additionalParameters":{"hashLength":["32"],"memory":["7168"],"type":["id"],"version":["1.3"],"parallelism":["1"]}}',
    }),
    password: 'password',
  },
  {
    name: 'Keycloak Argon2 with its data as objects (published: realm of a workshop of solo.io)',
    hash: JSON.stringify({
      secretData: {
        value: 'BruFLfFkjH/8erZ26NnrbkOrWiZuQyDRCHD9o0R6Scg=',
        salt: 'Cf9AYCE5pAbb4CKEF0GUTA==',
        additionalParameters: {},
      },
      credentialData: {
        hashIterations: 5,
        algorithm: 'argon2',
        additionalParameters: {
          hashLength: ['32'],
          memory: ['7168'],
          type: ['id'],
          version: ['1.3'],
          parallelism: ['1'],
        },
      },
    }),
    password: 'password',
  },
  {
    name: 'Meteor bcrypt (published: a test user of Rocket.Chat, which is a Meteor application)',
    hash: '$meteor$2b$10$EMxaeQQbSw9JLL.YvOVPaOW8MKta6pgmp2BcN5Op4cC9bJiOqmUS.',
    password: 'any_password',
  },
  {
    name: "Meteor argon2id (Python's argon2-cffi over hashlib's SHA-256: Meteor itself was not run)",
    hash: '$meteor$argon2id$v=19$m=19456,t=2,p=1$5d3dhz6PbJkoA0vdwj1NdA$GmNoujK9XeQpxzHYKIfkWklaQYP5/Y/kkXI4bbp3Lv0',
    password: greeting,
  },
  {
    name: 'Devise without a pepper (Devise 4.8.1)',
    hash: '$2a$04$yZKMqInpGR0cYFadHzQtGex501/zi0bs9DLBFYVDDnjwnQ0SMGvAK',
    password: greeting,
  },
  {
    name: 'Supabase, of a user from Firebase (published: password_test.go of supabase/auth)',
    hash: '$fbscrypt$v=1,n=14,r=8,p=1,ss=Bw==,sk=ou9tdYTGyYm8kuR6Dt0Bp0kDuAYoXrK16mbZO4yGwAn3oLspjnN0/c41v8xZnO1n14J3MjKj1b2g6AUCAlFwMw==$C0sHCg9ek77hsg==$zKVTMvnWVw5BBOZNUdnsalx4c4c7y/w7IS5p6Ut2+CfEFFlz37J9huyQfov4iizN8dbjvEJlM5tQaJP84+hfTw==',
    password: 'mytestpassword',
  },
]

/** Texts that the original program takes for the same password as the one that was hashed. */
export const alike: (Vector & { typed: string })[] = [
  {
    name: 'bcrypt, behind 72 bytes (Devise 4.8.1)',
    hash: '$2a$04$rZ00LAkkA9kPbUTrGfO0DulvvdGQoU0/gsd5dKTOnwcGifedTya0.',
    password: ninetyDigits,
    typed: `${ninetyDigits.slice(0, 72)} mistyped`,
  },
  {
    name: 'Spring {bcrypt}, behind 72 bytes (Devise 4.8.1, for spring-security-crypto refuses to make one)',
    hash: '{bcrypt}$2a$04$rZ00LAkkA9kPbUTrGfO0DulvvdGQoU0/gsd5dKTOnwcGifedTya0.',
    password: ninetyDigits,
    typed: `${ninetyDigits.slice(0, 72)} mistyped`,
  },
  {
    name: 'WordPress bcrypt, spaces around it (WordPress 6.8.7)',
    hash: '$wp$2y$04$3unEetACyWZo7rxeIJVyx.hAlLwzYNzsxspOQyjeO4/UcxRLAb02O',
    password: 'zusammen 1234',
    typed: ' zusammen 1234\n',
  },
  {
    name: 'WordPress phpass, spaces around it (WordPress 6.8.7)',
    hash: '$P$BaN9eqWhicky7DiCszctQYWilFpzA81',
    password: 'zusammen 1234',
    typed: ' zusammen 1234\n',
  },
  {
    name: 'better-auth, compatible letters (better-auth 1.6.34)',
    hash: '7da93675718b3372d3c33e98e33aca8b:cf47d5e9afe2397b35ea5199a43a4416f6b1bd1c60eca54751212bc26416d9d7d92063245f920af307491202bbf687b51e67bf7d2efb5635eb7c3c6024da14c2',
    password: 'pass1word fi',
    typed: 'pass①word ﬁ',
  },
]
