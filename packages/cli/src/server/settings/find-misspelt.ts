import leven from 'leven'
import { settingTable } from './setting-table.ts'

/** Variables with these prefixes are meant for the server. */
const ours = /^(CLIENTELE|SMTP|MAIL)_/

/** Read by a command of ours, not by the server */
const ofCommands = ['CLIENTELE_API_KEY']

/** A sentence about each variable that resembles a setting. */
export function findMisspelt(environment: NodeJS.ProcessEnv): string[] {
  const known = Object.values(settingTable).map(({ variable }) => variable)
  const unset = known.filter((variable) => environment[variable] === undefined)
  return Object.keys(environment).flatMap((name) => {
    if (known.includes(name) || ofCommands.includes(name)) return []
    const meant = unset.find((variable) => isClose(name, variable))
    if (meant !== undefined) return [`${name} is not known: is it ${meant}?`]
    return ours.test(name) ? [`${name} is not known.`] : []
  })
}

/** One letter is wrong, or two of a longer name, or letters have changed places. */
function isClose(name: string, variable: string): boolean {
  const wrong = leven(name, variable)
  return wrong <= (variable.length < 8 ? 1 : 2) || sortLetters(name) === sortLetters(variable)
}

function sortLetters(text: string): string {
  return [...text].sort().join('')
}
