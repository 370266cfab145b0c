import { describe } from 'vitest'
import { repositoryTargets } from '../support/repository-targets.ts'
import { describeRepositoryContract } from './repository-contract.ts'

describe.each(repositoryTargets)('$name', ({ open }) => describeRepositoryContract(open))
