const parts = [
  { alg: 'ES256', typ: 'at+jwt', kid: 'UrWnLcN0sFvWOb2W0s0gLVhJ9YxmS4Y9YhCkM3oQbPk' },
  {
    iss: 'https://api.example.com/api/v1/client/account/019dfae2-6a4d-7c3e-9b1f-2f4a5c6d7e8f',
    aud: '019dfae2-6a4d-7c3e-9b1f-2f4a5c6d7e8f',
    client_id: '019dfae2-6a4d-7c3e-9b1f-2f4a5c6d7e8f',
    sub: '019dfae2-9c11-7b52-8d3e-6b7f0a1c2d3e',
    iat: 1_778_024_505,
    exp: 1_778_031_705,
    jti: '019dfae3-0b5a-7f10-a4c2-9e8d7c6b5a49',
    sid: '019dfae3-0b59-7a21-b6d4-1f2e3d4c5b6a',
    amr: ['pwd'],
  },
].map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))

/** A token in the form of ours, without a valid signature. */
export const exampleToken = [...parts, 'A'.repeat(86)].join('.')
