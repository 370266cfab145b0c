import type { JSX } from 'preact'
import { english } from '../../english.ts'
import { PageHead } from '../../ui/page-head.tsx'

export function UsersScreen(): JSX.Element {
  return <PageHead title={english.users.title} />
}
