import type { JSX } from 'preact'
import { useMemo } from 'preact/hooks'
import { isUuid } from './api/is-uuid.ts'
import { useResource } from './api/use-resource.ts'
import { english } from './english.ts'
import { navigate, route, toHref } from './routing/route.ts'
import type { Account } from './screens/accounts/account.ts'
import { AccountsHome, type Screen, screens } from './screens/screens.ts'
import { EndedDialog } from './session/ended-dialog.tsx'
import { forgetProblem, type Session, sessionState } from './session/session.ts'
import { SignInProblem } from './session/sign-in-form.tsx'
import { SignInScreen } from './session/sign-in-screen.tsx'
import { type Access, AccessContext, useAccess } from './session/use-access.ts'
import { mayOpen, Shell } from './shell.tsx'
import { LinkButton } from './ui/button.tsx'
import { Dialog } from './ui/dialog.tsx'
import { PageHead } from './ui/page-head.tsx'
import { Loading } from './ui/states.tsx'
import { Toasts } from './ui/toasts.tsx'

export function App(): JSX.Element {
  const state = sessionState.value
  if (state.phase === 'starting') return <Loading />
  if (state.phase === 'signed-out') return <SignInScreen problem={state.problem} />
  return (
    <>
      <SignedIn session={state.session} />
      {state.phase === 'ended' && <EndedDialog session={state.session} problem={state.problem} />}
      {state.phase === 'signed-in' && state.problem && (
        <Dialog title={english.signIn.linkRefused} onClose={forgetProblem}>
          <div class="dialog-body">
            <SignInProblem problem={state.problem} />
          </div>
        </Dialog>
      )}
      <Toasts />
    </>
  )
}

function SignedIn({ session }: { session: Session }): JSX.Element {
  const { segments } = route.value
  const accountId = segments[0] === 'a' && isUuid(segments[1]) ? segments[1] : undefined
  const access = useMemo<Access>(
    () => ({
      session,
      accountId,
      isOperator: session.kind === 'operator',
      can: (scope) => session.scopes.includes(scope),
    }),
    [session, accountId],
  )
  return (
    <AccessContext.Provider value={access}>
      <Place />
    </AccessContext.Provider>
  )
}

/** The object that the address names. */
function Place(): JSX.Element {
  const access = useAccess()
  const { session, accountId, isOperator } = access
  const { data: account, isStale } = useResource<Account>(
    isOperator && accountId !== undefined ? `accounts/${accountId}` : undefined,
  )
  const accountName = isOperator ? (isStale ? undefined : account?.name) : session.account?.name
  const [kind, givenId, name, id] = route.value.segments
  if (kind === 'a' && givenId !== undefined && accountId === undefined) return <NoAccount />
  if (accountId === undefined && !isOperator)
    return <GoHome accountId={session.account?.id ?? ''} />
  if (accountId !== undefined && name === undefined) return <GoHome accountId={accountId} />
  const screen = screens.find((one) => one.name === name)
  const isShown = screen !== undefined && mayOpen(access, screen)
  const Detail = screen?.detail
  return (
    <Shell accountName={accountName}>
      {accountId === undefined ? (
        <AccountsHome />
      ) : !isShown ? (
        <NotShown screen={screen} />
      ) : id !== undefined && Detail !== undefined ? (
        <Detail key={`${accountId} ${id}`} id={id} />
      ) : (
        <screen.component key={`${accountId} ${name}`} />
      )}
    </Shell>
  )
}

/** The account id in the address is malformed: no request is sent. */
function NoAccount(): JSX.Element {
  return (
    <Shell accountName={undefined}>
      <PageHead
        title={english.problems.noAccount}
        actions={<LinkButton href="#/">{english.problems.goHome}</LinkButton>}
      />
    </Shell>
  )
}

/** Shows whether a screen does not exist, or needs other rights. */
function NotShown({ screen }: { screen: Screen | undefined }): JSX.Element {
  const t = english.problems
  if (screen === undefined) return <PageHead title={t.notFound} />
  const reason = screen.isForOperators ? t.forOperators : t.needsScopes(screen.scopes.join(', '))
  return <PageHead title={screen.title}>{reason}</PageHead>
}

/** Goes to the first screen of an account that is allowed. */
function GoHome({ accountId }: { accountId: string }): JSX.Element {
  const access = useAccess()
  const first = screens.find((screen) => mayOpen(access, screen))
  queueMicrotask(() => navigate(toHref(['a', accountId, first?.name ?? '']), { replace: true }))
  return <Loading />
}
