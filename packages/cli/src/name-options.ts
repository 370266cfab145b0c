import type { Command } from 'commander'

/** The library's members whose options have other names */
const otherNames: Record<string, string> = {
  origins: 'origin',
  algorithms: 'algorithm',
  scopes: 'scope',
  types: 'type',
  roles: 'role',
  allowedRoles: 'allowedRole',
  sharedSecret: 'sharedSecretFile',
  expiresAt: 'expires',
}

/** Names the option that a member of the library was given by: `--rp-id` for `rpId`; undefined: there is none. */
export function nameOption(member: string, command: Command | undefined): string | undefined {
  const names = [member, otherNames[member], member.replace(/Seconds$/, '')]
  const given = command?.options.filter(({ negate }) => !negate) ?? []
  return given.find((option) => names.includes(option.attributeName()))?.long
}

/** The option of a pointer, and which of its values: `--origin, value 2,` for `/origins/1`; otherwise the pointer. */
export function namePointer(pointer: string, command: Command | undefined): string {
  const [, member = '', ...rest] = pointer.split('/')
  const option = nameOption(member, command)
  if (option === undefined) return pointer
  const [index = ''] = rest
  if (rest.length === 0) return option
  return /^\d+$/.test(index) && rest.length === 1
    ? `${option}, value ${Number(index) + 1},`
    : `${option} (/${rest.join('/')})`
}

/** A rule's text with options in place of the library's members, whose names have a capital letter inside */
export function nameOptionsIn(text: string, command: Command | undefined): string {
  return text.replaceAll(/\b[a-z]+[A-Z]\w*/g, (member) => nameOption(member, command) ?? member)
}
