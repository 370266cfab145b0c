import type { RequestListener, Server } from 'node:http'
import type { Logger } from 'pino'
import { Registry } from 'prom-client'
import { openHttpServer } from '../open-http-server.ts'
import type { LoopTime } from './loop-time.ts'
import { sharePages } from './share-pages.ts'

/** There are only a few collectors. */
const maxConnections = 100

/** Serves only `/metrics`, in the text format of Prometheus. It needs no API key: restrict access to its port. */
export function openMetricsServer(
  readPage: (loopTime: LoopTime) => Promise<string>,
  logger: Logger,
): Server {
  const readShared = sharePages(async (loopTime) => {
    const page = await readPage(loopTime)
    return loopTime.spend(() => Buffer.from(page))
  })
  const listener: RequestListener = (req, res) => {
    const isKnown = req.url === '/metrics' || req.url?.startsWith('/metrics?')
    const isRead = req.method === 'GET' || req.method === 'HEAD'
    if (!isKnown || !isRead) {
      res.writeHead(isKnown ? 405 : 404, isKnown ? { allow: 'GET, HEAD' } : {}).end()
      return
    }
    readShared().then(
      (page) => {
        res.writeHead(200, {
          'content-type': Registry.PROMETHEUS_CONTENT_TYPE,
          'content-length': page.byteLength,
          'cache-control': 'no-store',
        })
        res.end(req.method === 'HEAD' ? undefined : page)
      },
      (error: unknown) => {
        logger.error({ error }, 'The metrics could not be read.')
        res.writeHead(500).end()
      },
    )
  }
  return openHttpServer(listener, maxConnections)
}
