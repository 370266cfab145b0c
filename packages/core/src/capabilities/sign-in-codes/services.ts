import type { SignInServices } from '../sign-in/services.ts'
import type { SignInCodeStore } from './store.ts'

/** The services that this room needs. */
export type SignInCodesServices = SignInServices & {
  repository: { signInCodes: SignInCodeStore }
}
