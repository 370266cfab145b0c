import type { Call } from './world.ts'

/**
 * A request whose ids are still to be filled in: `{3}` is the fourth user that was made, `{next}` the last link, `{account}`
 * the account whose key it is sent with.
 */
export interface Step extends Call {
  path: string
  /** Whose key it is sent with */
  as: 'first' | 'second'
}

export const json = ['content-type', 'application/json']
export const form = ['content-type', 'application/x-www-form-urlencoded']
const k0 = ['idempotency-key', 'k0']
const ada = { name: 'Ada Lovelace', email: 'certain@example.com' }
const grace = { name: 'Grace Hopper', email: 'repeated@example.com' }
const graceIn = { email: grace.email, password: 'secret1' }

export const google = { issuer: 'https://accounts.google.com', subject: '110169484474386276334' }

/** The three documents that verifiers look for, of an account */
export const documents = ['jwks.json', 'openid-configuration', 'oauth-authorization-server'].map(
  (name) => (account: string) => `/client/account/${account}/.well-known/${name}`,
)
export const absentAccount = '019dfae2-6a4d-7c3e-9b1f-2f4a5c6d7e8f'

// A public address: no name has to be looked up.
export const hook = 'https://8.8.8.8/hook'

/** What the answers must have in them whatever the seed is; `{0}` is the user that the first step makes, `{1}` the webhook. */
export const certain: readonly Step[] = (
  [
    { method: 'POST', path: '/client/user', json: { ...ada, password: 'secret1' } },
    { method: 'POST', path: '/client/user', json: { ...ada, password: 'secret2' } },
    { path: '/client/user/{0}', headers: ['if-none-match', '"1"'] },
    { method: 'PUT', path: '/client/user/{0}', json: ada, headers: ['if-match', '"2"'] },
    { method: 'PUT', path: '/client/user/{0}', json: { ...ada, name: 'Ada King' } },
    { method: 'POST', path: '/client/user/{0}' },
    { method: 'POST', path: '/client/user', json: { ...ada, name: '' } },
    { method: 'POST', path: '/client/user', body: '{', headers: json },
    { method: 'POST', path: '/client/user', body: 'x'.repeat(70_000), headers: json },
    { method: 'POST', path: '/client/user', body: '{}', headers: ['content-type', 'text/plain'] },
    { path: '/client/user/{0}', key: null },
    { path: '/client/user/{0}', as: 'second' },
    { method: 'DELETE', path: '/client/user/{0}' },
    { path: '/client/user/{0}' },
    { method: 'POST', path: '/client/webhook', json: { url: hook, types: ['user.*'] } },
    { path: '/client/webhook' },
    { path: '/client/webhook/{1}' },
    { path: '/client/webhook/{1}', as: 'second' },
    { method: 'PATCH', path: '/client/webhook/{1}', json: { description: 'CRM' } },
    { method: 'POST', path: '/client/webhook/{1}/secret/rotate' },
    { method: 'POST', path: '/client/webhook/{1}/test' },
    { method: 'POST', path: '/client/webhook/{1}/replay', json: { after: 'x' } },
    { path: '/client/webhook/{1}/attempt' },
    { method: 'PATCH', path: '/client/webhook/{1}', json: { is_active: false } },
    { method: 'DELETE', path: '/client/webhook/{1}' },
    { path: '/client/webhook/{1}' },
    { method: 'POST', path: '/client/user', json: { ...grace, password: 'secret1' }, headers: k0 },
    { method: 'POST', path: '/client/user', json: { ...grace, password: 'secret1' }, headers: k0 },
    { method: 'POST', path: '/client/user', json: { ...grace, password: 'secret2' }, headers: k0 },
    { method: 'POST', path: '/client/user/{2}/identity', json: google },
    { method: 'POST', path: '/client/user/{2}/identity', json: google },
    { method: 'POST', path: '/client/user/{2}/identity', json: { ...google, subject: '' } },
    { method: 'POST', path: '/client/user/{2}/identity', json: google, as: 'second' },
    { path: '/client/user/{2}/identity' },
    { path: '/client/user/{2}/identity', as: 'second' },
    { method: 'DELETE', path: '/client/user/{2}/identity/{3}', as: 'second' },
    { method: 'DELETE', path: '/client/user/{2}/identity/{3}' },
    { method: 'DELETE', path: '/client/user/{2}/identity/{3}' },
    { method: 'POST', path: '/client/user/auth/login/id-token', json: { id_token: 'x.y.z' } },
    { method: 'POST', path: '/client/user/auth/login/id-token', json: { nonce: '' } },
    // The first token makes a key; the other account has none.
    { method: 'POST', path: '/client/user/auth/login', json: graceIn },
    ...documents.flatMap(
      (pathOf) =>
        [
          { path: pathOf('{account}'), key: null },
          { path: pathOf('{account}'), key: null, as: 'second' },
          { path: pathOf(absentAccount), key: null },
          { path: pathOf('none'), key: null },
          { path: `${pathOf('{account}')}?x=1`, key: null },
          { method: 'HEAD', path: pathOf('{account}'), key: null },
          { method: 'POST', path: pathOf('{account}'), key: null },
        ] as const,
    ),
    { path: '/client/user/{2}/export' },
    { path: '/client/user/{2}/export', as: 'second' },
    { method: 'POST', path: '/client/user/{2}/erase', as: 'second' },
    { method: 'POST', path: '/client/user/{2}/erase', headers: k0 },
    { method: 'POST', path: '/client/user/{2}/erase', headers: k0 },
    { method: 'POST', path: '/client/user/{2}/erase' },
    { path: '/client/user/{2}/export' },
  ] as const
).map((step) => ({ as: 'first', ...step }))
