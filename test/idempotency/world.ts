export const secrets = ['a secret of the tests, 32 characters']

/** The user that requests with this key make */
export function personOf(key: string) {
  return { name: 'Ada Lovelace', email: `${key}@example.com`, password: 'correct horse battery' }
}
