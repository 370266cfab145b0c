import { createContext } from 'preact'
import { useContext } from 'preact/hooks'
import type { Scope, Session } from './session.ts'

/** The signed-in person, and their rights in the open account. */
export interface Access {
  session: Session
  isOperator: boolean
  /** The account that the address names; undefined on pages about no account */
  accountId: string | undefined
  can: (scope: Scope) => boolean
}

export const AccessContext = createContext<Access | undefined>(undefined)

export function useAccess(): Access {
  const access = useContext(AccessContext)
  if (access === undefined) throw new Error('useAccess is called outside of a session')
  return access
}

/** The account that the screen is about: screens of accounts are shown with one only. */
export function useAccountId(): string {
  const { accountId } = useAccess()
  if (accountId === undefined) throw new Error('this screen is shown outside of an account')
  return accountId
}
