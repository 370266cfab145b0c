import { createServer } from 'node:http'
import { createClientele } from '@clientele/core'
import { sqlite } from '@clientele/core/sqlite'
import { clienteleListener } from '@clientele/core/node'
import { consoleRoutes } from '../console/dist/index.js'
const clientele = await createClientele({ repository: sqlite({ filename: '/tmp/k3/real.sqlite' }), secrets: ['a secret that is long enough for this'] })
let accounts = await clientele.accounts.list()
if (accounts.length === 0) { await clientele.accounts.bootstrap({ name: 'Demo' }); await clientele.accounts.create({ name: 'Acme' }); accounts = await clientele.accounts.list()
  const first=['Ada','Grace','Alan','Edsger','Barbara','Donald','Radia'], last=['Lovelace','Hopper','Turing','Dijkstra','Liskov','Knuth','Perlman','Wirth']
  const n = Number(process.env.N ?? 100000)
  async function* read(){ for (let i=0;i<n;i++) yield { line:i+1, value:{ email:`user${i}@example.com`, name:`${first[i%7]} ${last[i%8]}`, roles: i%5?['member']:['admin','editor'], metadata: i%3?{}:{plan:'pro'}, isActive: i%11!==3, createdAt: new Date(Date.now()-(n-i)*60000) } } }
  const t=Date.now(); console.log(await clientele.users.import(accounts[0].id, read()), Date.now()-t,'ms')
}
const listener = clienteleListener(consoleRoutes(clientele, { authorize: () => ({ name: 'Ada (operator)' }) }), { prefix: '/api/v1' })
createServer(listener).listen(4104,'127.0.0.1',()=>console.log('http://127.0.0.1:4104/api/v1/client/console/#/a/'+accounts[0].id+'/users', process.pid))
