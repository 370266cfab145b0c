#!/usr/bin/env node
import { readFileSync } from 'node:fs'
import { ask } from './ask.ts'
import type { Choices } from './choices.ts'
import { help, readArguments, UsageError } from './read-arguments.ts'
import { writeApp } from './write-app.ts'

try {
  const given = readArguments(process.argv.slice(2))
  if (given.wants === 'help') console.log(help)
  else if (given.wants === 'version') console.log(readVersion())
  else {
    const { folder, chosen } = await ask(given)
    const files = writeApp(folder, chosen)
    console.log(`Created in ${folder}: ${files.join(', ')}\n\n${next(folder, chosen)}`)
  }
} catch (error) {
  if (!(error instanceof UsageError)) throw error
  console.error(error.message)
  process.exitCode = 2
}

function next(folder: string, { database, language }: Choices): string {
  const isTyped = language === 'typescript'
  const runs = isTyped ? process.features.typescript : process.features.require_module
  const first = [
    ...(runs
      ? []
      : [`  install Node ${isTyped ? '22.18' : '22.14'} or newer: this is ${process.version}`]),
    ...(database === 'postgresql' ? [`  set DATABASE_URL in ${folder}/.env`] : []),
  ]
  return ['Next:', ...first, `  cd ${quote(folder)}`, '  npm install', '  npm start'].join('\n')
}

function readVersion(): string {
  return JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')).version
}

/** For a shell, where the name has more than letters, digits and what paths are made of */
function quote(name: string): string {
  if (/^[\w./\\:-]+$/.test(name)) return name
  return process.platform === 'win32' ? `"${name}"` : `'${name.replaceAll("'", "'\\''")}'`
}
