#!/usr/bin/env node
import { readFileSync } from 'node:fs'
import { ask } from './ask.ts'
import { help, readArguments, UsageError } from './read-arguments.ts'
import { writeApp } from './write-app.ts'

try {
  const given = readArguments(process.argv.slice(2))
  if (given.wants === 'help') console.log(help)
  else if (given.wants === 'version') console.log(readVersion())
  else {
    const { folder, chosen } = await ask(given)
    const files = writeApp(folder, chosen)
    console.log(
      `Created in ${folder}: ${files.join(', ')}\n\n${next(folder, chosen.database === 'postgresql')}`,
    )
  }
} catch (error) {
  if (!(error instanceof UsageError)) throw error
  console.error(error.message)
  process.exitCode = 2
}

function next(folder: string, needsDatabase: boolean): string {
  const database = needsDatabase ? [`  set DATABASE_URL in ${folder}/.env`] : []
  return ['Next:', ...database, `  cd ${folder}`, '  npm install', '  npm start'].join('\n')
}

function readVersion(): string {
  return JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')).version
}
