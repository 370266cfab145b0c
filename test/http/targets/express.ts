import { createServer } from 'node:http'
import { consoleRoutes } from '@clientele/console'
import { clienteleRoutes, requireUser } from '@clientele/express'
import { scimRoutes } from '@clientele/scim'
import express, { type ErrorRequestHandler } from 'express'
import express4 from 'express4'
import { hostParserDeviations } from './host-parser.ts'
import { listen, prefixOf, sayWho, type Target } from './target.ts'

/** The host's own handler of the errors of its body parser. */
const handleError: ErrorRequestHandler = (error, _req, res, _next) => {
  res.status(error.status ?? 500).end('the host')
}

function target(name: string, framework: typeof express): Target {
  return {
    name,
    deviations: hostParserDeviations('body-parser'),
    start(clientele, mounting, validator) {
      const app = framework()
      app.use((_req, res, next) => {
        res.setHeader('x-host', name)
        next()
      })
      if (mounting === 'parsed') {
        app.use(framework.json({ limit: '1mb' }))
        app.use(framework.urlencoded({ limit: '1mb', extended: true }))
      }
      app.use(
        prefixOf(mounting) || '/',
        clienteleRoutes(clientele),
        clienteleRoutes(consoleRoutes(clientele)),
        clienteleRoutes(scimRoutes(clientele)),
      )
      app.get('/host', (_req, res) => void res.end('the host'))
      app.get('/me', requireUser(validator ?? clientele), (req, res) => void res.end(sayWho(req)))
      app.use((_req, res) => void res.status(404).end('nothing here'))
      app.use(handleError)
      return listen(createServer(app), mounting)
    },
  }
}

export const express5: Target = target('express 5', express)
export const express4Target: Target = target('express 4', express4)
