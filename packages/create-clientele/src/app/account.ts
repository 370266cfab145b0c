import { clientele } from './clientele.ts'

// The users of this site are those of one account. A program with several tenants has an account for each.
const [first] = await clientele.accounts.list()

export const accountId = (first ?? (await clientele.accounts.create({ name: 'My site' }))).id
