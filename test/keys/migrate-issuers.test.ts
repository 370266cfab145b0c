import { expect, test } from 'vitest'
import { databases } from '../support/databases.ts'
import { byKeys, IssuerWorld } from '../support/issuer-world.ts'
import { runSql } from '../support/run-sql.ts'

const table = 'clientele_trusted_issuers'
const added = [
  'client_id_as_audience',
  'user_lookup',
  'sign_in',
  'link_by_email',
  'nonce',
  'max_age_seconds',
]

test.each(databases)(
  'issuers that were trusted before they had settings stay trusted on $name',
  async ({ open }) => {
    const database = await open()
    const world = new IssuerWorld(() => database.url)
    const audience = 'the "API" of Ada\\Byron,\n[1]'
    const { clientele, accountId, issuer, trust, signByKey } = await world.trusting({
      ...byKeys,
      audience,
    })
    await trust({ ...byKeys, issuer: 'urn:by-email', userClaim: 'email' })
    const before = await clientele.trustedIssuers.list(accountId)
    // As the table was before
    await runSql(
      database.url,
      `update ${table} set audience = 'the "API" of Ada\\Byron,\n[1]' where id = '${issuer.id}'`,
      ...added.map((column) => `alter table ${table} drop column ${column}`),
      `update ${table} set audience = 'x' where id <> '${issuer.id}'`,
      "delete from clientele_migrations where name = '0010-issuer-settings'",
    )
    const { clientele: after } = await world.start()
    const [first, second] = await after.trustedIssuers.list(accountId)
    expect(first).toEqual(before[0])
    expect(second).toEqual({ ...before[1], audience: ['x'], userLookup: 'email' })
    await after.auth.validateToken(accountId, await signByKey({ aud: audience }))
    await database.close()
  },
)
