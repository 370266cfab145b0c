import { readText } from './repository.ts'

/**
 * Puts in what a page draws from elsewhere, so that nothing is written twice:
 *
 * - `<!-- block packages/koa/README.md ts 1 -->`: the first block of that language in a page
 * - `<!-- file examples/next-app/next.config.ts -->`: a file, as a block
 * - `<!-- part first-user.md -->`: a text that several pages share, of the folder `parts`
 *
 * @throws Error when there is no such block
 */
export function drawBlocks(page: string): string {
  return page.replaceAll(
    /^<!-- (block|file|part) (\S+)(?: (\w+) (\d+))? -->$/gm,
    (_, kind: string, path: string, language = '', place = '') => {
      if (kind === 'part') return drawBlocks(readText(`packages/website/parts/${path}`).trim())
      if (kind === 'file') return asBlock(path, readText(path))
      return readBlock(path, language, Number(place))
    },
  )
}

function asBlock(path: string, text: string): string {
  const [, language = ''] = /\.(\w+)$/.exec(path) ?? []
  const [name = ''] = path.replace(/^examples\/[^/]+\//, '').split('\0')
  return `\`\`\`${language} [${name}]\n${text.trim()}\n\`\`\``
}

function readBlock(path: string, language: string, place: number): string {
  const blocks = [...readText(path).matchAll(/^```(\w+)\n.*?^```$/gms)]
  const found = blocks.filter(([, each]) => each === language)[place - 1]?.[0]
  if (found === undefined) throw new Error(`${path} has no ${language} block ${place}.`)
  return found
}
