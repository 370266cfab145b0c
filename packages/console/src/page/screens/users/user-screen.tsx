import type { JSX } from 'preact'
import { english } from '../../english.ts'
import { PageHead } from '../../ui/page-head.tsx'

export function UserScreen({ id }: { id: string }): JSX.Element {
  return <PageHead title={english.user.title}>{id}</PageHead>
}
