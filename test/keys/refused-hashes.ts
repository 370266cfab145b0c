/** Each would cost too much, prove too little, or mean something else than it says. */
export const refused: Record<string, string> = {
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
  'scrypt whose N its r does not allow (RFC 7914, section 2)':
    '$scrypt$ln=23,r=1,p=1$aM15713r3Xsvxbi31lqr1Q$nFNh2CVHVjNldFVKDHDlm4CbdRSCdEBsjjJxD+iCs5E',
  'scrypt of Django whose N its r does not allow':
    'scrypt$65536$seasalt12$1$1$09gUD9Rl7sEvt3oU6GU1Ay+vJYodavH4JQ+F63O/FMrO62Cg90fF+vs4P50ZC/olHtNXD7229QVubh0YcaWFTA==',
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
  'bcrypt of Django with cost 31':
    'bcrypt$$2b$31$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW',
  'a Django user without a password': '!F4yzG6aUHF3C2PvNADeU0XYC8IEXv9ifROXjYLct',
  'Django MD5': 'md5$CrL5K9FKqGSbK44wIBVI4J$c3f38ef613630ab996600d308a61e867',
  'scrypt of Django with 16 GiB':
    'scrypt$16777216$seasalt12$8$1$09gUD9Rl7sEvt3oU6GU1Ay+vJYodavH4JQ+F63O/FMrO62Cg90fF+vs4P50ZC/olHtNXD7229QVubh0YcaWFTA==',
  'scrypt of Django whose N is no power of two':
    'scrypt$16385$seasalt12$8$1$09gUD9Rl7sEvt3oU6GU1Ay+vJYodavH4JQ+F63O/FMrO62Cg90fF+vs4P50ZC/olHtNXD7229QVubh0YcaWFTA==',
  'scrypt of Werkzeug with many lanes':
    'scrypt:32768:8:64$j5VheGjIqbZe10Sk$9b32f1463fcdbe83a875ac4ab0498c88aa01793aaf23a951c7ad308f34682854',
  'PBKDF2 of Werkzeug with 2 billion iterations':
    'pbkdf2:sha256:2000000000$CDj22LQFQwYT5wBi$a37e12412c2462629602acc9c9f9de81bebca63f7601210bf755a9afbb65495b',
  'PBKDF2 of Werkzeug with a digest that is none':
    'pbkdf2:constructor:1000$CDj22LQFQwYT5wBi$a37e12412c2462629602acc9c9f9de81bebca63f7601210bf755a9afbb65495b',
  'PBKDF2 of Werkzeug without its iterations':
    'pbkdf2:sha256$CDj22LQFQwYT5wBi$a37e12412c2462629602acc9c9f9de81bebca63f7601210bf755a9afbb65495b',
  'phpass with 2^30 rounds': '$P$S2osj23fXIKlc8KEVvsTqb2YUvV/KH0',
  'phpass cut short': '$P$B2osj23fXIKlc8KEVvsTqb2',
  'WordPress bcrypt with cost 31':
    '$wp$2y$31$r5ZhvTMRCxHPSKhNR0ocaumBc89e/9QbdJ1FxkB0evoduVRe3c3ZW',
  'better-auth cut short': '1ec9167395acca4bf7e693bd0713ac1b:ae0a12ac6d48879abb39938f9b13fd82',
  'Spring {noop}': '{noop}user1password',
  'Spring {MD5}':
    '{MD5}{z+T+ooYwDF6RR69b++0dQKh716UNAR9QeEiYqwYGpMw=}c3f38ef613630ab996600d308a61e867',
  'Spring {sha256}':
    '{sha256}fb53d88a5adb443e5360ffd418c0005e0b52d16047e1ed93694556969fca95d554654b5609c67007',
  'a Spring id that nobody knows':
    '{secret-of-ours}$2a$04$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW',
  'scrypt of Spring with 16 GiB':
    '{scrypt}$180801$utAV+uNK6MU06FpYWwBd/g==$vl6ELSLi9PhXpnefGFLV8J9ba+VPwsuYov2WdMhhPfc=',
  'PBKDF2 of Spring of another length':
    '{pbkdf2}efd057cdeec1b322fd35ffac1308795ffac9260b9b525cda1234554d64267fa9b479',
  'ASP.NET with 2 billion iterations':
    'AQAAAAJ3NZQAAAAAEAABAgMEBQYHCAkKCwwNDg/Q8A0WMKbtHQJQ2DHCdoEeeFBrgNlldq6vH4qX/CGqGQ==',
  'ASP.NET whose salt is longer than the whole':
    'AQAAAAIAAYag/////wABAgMEBQYHCAkKCwwNDg/Q8A0WMKbtHQJQ2DHCdoEeeFBrgNlldq6vH4qX/CGqGQ==',
  'a Keycloak credential of another kind': JSON.stringify({
    type: 'otp',
    secretData: '{"value":"a2V5Y2xvYWsta2V5Y2xvYWsta2V5","salt":"c2FsdHNhbHQ="}',
    credentialData: '{"hashIterations":1,"algorithm":"pbkdf2-sha256"}',
  }),
  'a Keycloak credential without its secret': JSON.stringify({
    type: 'password',
    credentialData:
      '{"hashIterations":27500,"algorithm":"pbkdf2-sha256","additionalParameters":{}}',
  }),
  'a Keycloak credential with an algorithm of an extension': JSON.stringify({
    secretData: '{"value":"a2V5Y2xvYWsta2V5Y2xvYWsta2V5","salt":"c2FsdHNhbHQ="}',
    credentialData: '{"hashIterations":10,"algorithm":"bcrypt"}',
  }),
  'Argon2 of Keycloak with 4 GiB': JSON.stringify({
    secretData:
      '{"value":"xPVi4Y728BTkjonAEd395cEbNI1UY8w+4Gp9YftkbJ0=","salt":"28ok9Hqf/nAYEXJ3toyfuA=="}',
    credentialData:
      '{"hashIterations":5,"algorithm":"argon2","additionalParameters":{"hashLength":["32"],"memory":["4194304"],"type":["id"],"version":["1.3"],"parallelism":["1"]}}',
  }),
  'JSON that is none': '{"secretData":"{\\"value\\":\\"a2V5Y2xvYWsta2V5Y2xvYWsta2V5',
  'Meteor with cost 31': '$meteor$2b$31$EMxaeQQbSw9JLL.YvOVPaOW8MKta6pgmp2BcN5Op4cC9bJiOqmUS.',
}
