import { describe } from 'vitest'
import { describeLeftOutTargets } from '../support/kysely-targets.ts'
import { repositoryTargets } from '../support/repository-targets.ts'
import { describeRepositoryContract } from './repository-contract.ts'

describe.each(repositoryTargets)('$name', ({ open }) => describeRepositoryContract(open))

describeLeftOutTargets()
