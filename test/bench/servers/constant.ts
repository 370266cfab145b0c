// node servers/constant.ts: a bare server of Node's that answers all with one text
import { createServer } from 'node:http'

const body = JSON.stringify({ isValid: true, success_code: 200, user: { name: 'a'.repeat(200) } })
const headers = { 'content-type': 'application/json', 'content-length': String(body.length) }
const server = createServer((_request, response) => {
  response.writeHead(200, headers).end(body)
})
server.listen(0, '127.0.0.1', () => {
  const address = server.address()
  console.log(`http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}`)
})
process.on('SIGTERM', () => process.exit(0))
