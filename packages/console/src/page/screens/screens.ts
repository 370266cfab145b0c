import type { ComponentType } from 'preact'
import { english } from '../english.ts'
import type { Scope } from '../session/session.ts'
import type { IconName } from '../ui/icon.tsx'
import { AccountsScreen } from './accounts/accounts-screen.tsx'
import { EventsScreen } from './events/events-screen.tsx'
import { IssuersScreen } from './issuers/issuers-screen.tsx'
import { KeysScreen } from './keys/keys-screen.tsx'
import { OverviewScreen } from './overview/overview-screen.tsx'
import { PolicyScreen } from './policy/policy-screen.tsx'
import { OperationScreen } from './reference/operation-screen.tsx'
import { ReferenceScreen } from './reference/reference-screen.tsx'
import { SettingsScreen } from './settings/settings-screen.tsx'
import { SigningKeysScreen } from './signing-keys/signing-keys-screen.tsx'
import { TransferScreen } from './transfer/transfer-screen.tsx'
import { UserScreen } from './users/user-screen.tsx'
import { UsersScreen } from './users/users-screen.tsx'
import { WebhookScreen } from './webhooks/webhook-screen.tsx'
import { WebhooksScreen } from './webhooks/webhooks-screen.tsx'

/** A screen about one account. */
export interface Screen {
  /** Its part of the address: `#/a/<account id>/users` */
  name: string
  title: string
  icon: IconName
  component: ComponentType
  /** The path after `#/a/<account id>/users/<id>` */
  detail?: ComponentType<{ id: string }>
  /** The scopes for this screen: the session needs at least one */
  scopes: readonly Scope[]
  /** Whether it must allow all of them */
  needsAllScopes?: boolean
  /** Whether it is for operators only */
  isForOperators?: boolean
}

export const screens: readonly Screen[] = [
  {
    name: 'overview',
    title: english.overview.title,
    icon: 'overview',
    component: OverviewScreen,
    scopes: ['users:read', 'events:read'],
    needsAllScopes: true,
  },
  {
    name: 'users',
    title: english.users.title,
    icon: 'users',
    component: UsersScreen,
    detail: UserScreen,
    scopes: ['users:read'],
  },
  {
    name: 'events',
    title: english.events.title,
    icon: 'events',
    component: EventsScreen,
    scopes: ['events:read'],
  },
  {
    name: 'webhooks',
    title: english.webhooks.title,
    icon: 'webhooks',
    component: WebhooksScreen,
    detail: WebhookScreen,
    scopes: ['webhooks:write'],
  },
  {
    name: 'transfer',
    title: english.transfer.title,
    icon: 'transfer',
    component: TransferScreen,
    scopes: ['users:read', 'users:write'],
  },
  {
    name: 'reference',
    title: english.reference.title,
    icon: 'reference',
    component: ReferenceScreen,
    detail: OperationScreen,
    scopes: [],
  },
  {
    name: 'keys',
    title: english.keys.title,
    icon: 'keys',
    component: KeysScreen,
    scopes: [],
    isForOperators: true,
  },
  {
    name: 'issuers',
    title: english.issuers.title,
    icon: 'issuers',
    component: IssuersScreen,
    scopes: [],
    isForOperators: true,
  },
  {
    name: 'signing-keys',
    title: english.signingKeys.title,
    icon: 'signing',
    component: SigningKeysScreen,
    scopes: [],
    isForOperators: true,
  },
  {
    name: 'policy',
    title: english.policy.title,
    icon: 'policy',
    component: PolicyScreen,
    scopes: [],
    isForOperators: true,
  },
  {
    name: 'settings',
    title: english.settings.title,
    icon: 'settings',
    component: SettingsScreen,
    scopes: [],
    isForOperators: true,
  },
]

/** The first screen of operators: all accounts. */
export const AccountsHome: ComponentType = AccountsScreen
