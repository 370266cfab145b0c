import type { Attack } from './attack.ts'
import { dataAttacks } from './data-attacks.ts'
import { keyAttacks } from './key-attacks.ts'
import { scimAttacks } from './scim-attacks.ts'
import { strangerAttacks } from './stranger-attacks.ts'
import { transferAttacks } from './transfer-attacks.ts'
import { userAttacks } from './user-attacks.ts'

/**
 * Every kind of request that a caller can send, as much of it as there may be. `attack-kit.test.ts` sends each for two
 * seconds to the server as it is shipped, while another account validates a token. To add one, add an entry to a part.
 */
export const attacks: readonly Attack[] = [
  ...strangerAttacks,
  ...keyAttacks,
  ...dataAttacks,
  ...scimAttacks,
  ...transferAttacks,
  ...userAttacks,
]
