import type { ComponentChildren, JSX } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { useAction } from './api/use-action.ts'
import { english } from './english.ts'
import { route, toHref } from './routing/route.ts'
import { type Screen, screens } from './screens/screens.ts'
import { signOut } from './session/session.ts'
import { type Access, useAccess } from './session/use-access.ts'
import { Button } from './ui/button.tsx'
import { Dialog } from './ui/dialog.tsx'
import { Icon, type IconName } from './ui/icon.tsx'
import { Logo } from './ui/logo.tsx'
import { ProblemNotice } from './ui/problem-notice.tsx'
import { ThemeButton } from './ui/theme-button.tsx'

const t = english.shell

/** The frame around every screen: navigation, the signed-in person, and signing out. */
export function Shell({
  accountName,
  children,
}: {
  /** The name of the account that the screen shows */
  accountName: string | undefined
  children: ComponentChildren
}): JSX.Element {
  const access = useAccess()
  const [isOpen, setOpen] = useState(false)
  const leave = useAction(signOut)
  const { segments } = route.value
  const place = segments.join('/')
  // The menu closes when the place changes
  useEffect(() => setOpen(false), [place])
  return (
    <div class="shell">
      <button
        type="button"
        class="skip button"
        onClick={() => document.getElementById('content')?.focus()}
      >
        {t.skip}
      </button>
      <header class="top">
        <span class="menu-button">
          <Button
            kind="quiet"
            icon={isOpen ? 'close' : 'menu'}
            isIconOnly
            aria-expanded={isOpen}
            aria-controls="navigation"
            onClick={() => setOpen(!isOpen)}
          >
            {t.menu}
          </Button>
        </span>
        <a class="home" href="#/">
          <Logo />
        </a>
        {accountName !== undefined && <span class="where">{accountName}</span>}
        <span class="grow" />
        <span class="who">{access.isOperator ? access.session.name || t.operator : ''}</span>
        <ThemeButton />
        <Button kind="quiet" icon="leave" isIconOnly isBusy={leave.isRunning} onClick={leave.run}>
          {t.signOut}
        </Button>
      </header>
      <nav id="navigation" class={isOpen ? 'side open' : 'side'} aria-label={t.navigation}>
        {access.isOperator && (
          <ul>
            <NavItem href="#/" icon="accounts" label={t.allAccounts} isHere={segments[0] !== 'a'} />
          </ul>
        )}
        {access.accountId !== undefined && (
          <AccountNav access={access} accountId={access.accountId} />
        )}
      </nav>
      <main id="content" tabIndex={-1}>
        {children}
      </main>
      {leave.problem && (
        <Dialog title={t.stillSignedIn} onClose={leave.clear}>
          <div class="dialog-body">
            <ProblemNotice problem={leave.problem} onRetry={leave.run} />
          </div>
        </Dialog>
      )}
    </div>
  )
}

function AccountNav({ access, accountId }: { access: Access; accountId: string }): JSX.Element {
  const shown = screens.filter((screen) => mayOpen(access, screen))
  const here = route.value.segments[2]
  const item = ({ name, title, icon }: Screen) => (
    <NavItem
      key={name}
      href={toHref(['a', accountId, name])}
      icon={icon}
      label={title}
      isHere={here === name}
    />
  )
  return (
    <>
      <ul>{shown.filter(({ isForOperators }) => !isForOperators).map(item)}</ul>
      {access.isOperator && (
        <>
          <h2 class="side-heading">{t.operatorScreens}</h2>
          <ul>{shown.filter(({ isForOperators }) => isForOperators).map(item)}</ul>
        </>
      )}
    </>
  )
}

function NavItem({
  href,
  icon,
  label,
  isHere,
}: {
  href: string
  icon: IconName
  label: string
  isHere: boolean
}): JSX.Element {
  return (
    <li>
      <a href={href} aria-current={isHere ? 'page' : undefined}>
        <Icon name={icon} /> {label}
      </a>
    </li>
  )
}

/** Whether the signed-in person may open a screen. */
export function mayOpen(
  { isOperator, can }: Access,
  { isForOperators = false, needsAllScopes = false, scopes }: Screen,
): boolean {
  if (isForOperators) return isOperator
  return scopes.length === 0 || (needsAllScopes ? scopes.every(can) : scopes.some(can))
}
