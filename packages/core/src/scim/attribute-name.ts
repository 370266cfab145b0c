/** The schemas of the resources, by which clients may qualify attributes */
export const userSchema = 'urn:ietf:params:scim:schemas:core:2.0:User'
export const groupSchema = 'urn:ietf:params:scim:schemas:core:2.0:Group'

const ours = [userSchema, groupSchema].map((schema) => `${schema.toLowerCase()}:`)

/** An attribute's name in lower case, without our schema before it: names have no case (RFC 7643, section 2.1). */
export function withoutSchema(name: string): string {
  const lower = name.toLowerCase()
  const schema = ours.find((each) => lower.startsWith(each))
  return schema === undefined ? lower : lower.slice(schema.length)
}

/** Whether a name joins an attribute to one of our schemas by something other than a colon: `urn:…:User.active`. */
export function isJoinedWrongly(name: string): boolean {
  const lower = name.toLowerCase()
  return ours.some((each) => {
    const schema = each.slice(0, -1)
    return lower.startsWith(schema) && !/^[\w:-]/.test(lower.slice(schema.length))
  })
}

/** Whether a name is that of one of our schemas: an object of this name has attributes of the resource. */
export function isOwnSchema(name: string): boolean {
  return ours.includes(`${name.trim().toLowerCase()}:`)
}
