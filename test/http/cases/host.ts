import { decodeJwt } from 'jose'
import { expect } from 'vitest'
import { problem } from '../support/answers.ts'
import { send } from '../support/send.ts'
import { type Case, flow } from './case.ts'

/** What stays the host's own, and what we do for its own routes. */
export const hostCases: readonly Case[] = [
  flow('the host handles all paths that are not below ours', async (world) => {
    const paths = [
      '/Client/user',
      '/client/User',
      '/client/users',
      '/client',
      '/',
      '/nothing',
      '//client/user',
      '/client//user',
      '/client/user%2F',
      '/%63lient/user',
    ]
    for (const path of paths) {
      expect([path, await world.send({ path })]).toEqual([
        path,
        { status: 404, headers: expect.anything(), body: 'nothing here' },
      ])
    }
    const origin = world.combination.server.origin
    expect((await send(origin, { path: '/host' })).body).toBe('the host')
    if (world.prefix !== '') {
      expect((await send(origin, { path: '/client/user' })).body).toBe('nothing here')
      expect((await send(origin, { path: `${world.prefix}x/client/user` })).body).toBe(
        'nothing here',
      )
    }
  }),
  flow('the guard', async (world) => {
    const { id } = await world.createUser()
    const token = await world.logIn()
    const me = (headers: string[]) =>
      send(world.combination.server.origin, { path: '/me', headers })
    expect(await me(['authorization', `bearer  ${token}`])).toMatchObject({
      status: 200,
      body: `${id} ada@example.com ${decodeJwt(token).sid}`,
    })
    const challenge = { 'www-authenticate': 'Bearer' }
    for (const header of [undefined, 'Bearer', 'Basic YTpi', token]) {
      const sent = header === undefined ? [] : ['authorization', header]
      expect(await me(sent)).toEqual(problem('token_missing', { headers: challenge }))
    }
    expect(await me(['authorization', `Bearer ${token} x`])).toEqual(
      problem('token_malformed', { headers: challenge }),
    )
    expect(await me(['authorization', `Bearer ${token}x`])).toMatchObject({ status: 401 })
    expect(await me(['authorization', `Bearer ${token}`, 'authorization', 'x'])).toEqual(
      problem('header_repeated'),
    )
    await world.clientele.accounts.disable(world.account.id)
    expect(await me(['authorization', `Bearer ${token}`])).toEqual(
      problem('token_revoked', { headers: challenge }),
    )
    await world.clientele.accounts.enable(world.account.id)
    expect(await me(['authorization', `Bearer ${token}`])).toMatchObject({ status: 200 })
    await world.clientele.users.deactivate(world.account.id, id)
    expect(await me(['authorization', `Bearer ${token}`])).toEqual(
      problem('token_user_inactive', { headers: challenge }),
    )
  }),
  flow(
    'each response of ours has its own request id, and no response of the host has one',
    async (world) => {
      const { origin } = world.combination.server
      const idOf = async (path: string) => (await fetch(origin + path)).headers.get('x-request-id')
      const ids = [
        await idOf(`${world.prefix}/client/user/openapi.json`),
        await idOf(`${world.prefix}/client/user`),
        await idOf(`${world.prefix}/client/user/a/b`),
        await idOf('/me'),
      ]
      expect(ids.map((id) => typeof id)).toEqual(ids.map(() => 'string'))
      expect(new Set(ids).size).toBe(ids.length)
      expect(await idOf('/host')).toBe(null)
    },
  ),
  flow('the host’s own header fields stay', async (world) => {
    const { origin } = world.combination.server
    const response = await fetch(`${origin}${world.prefix}/client/user`)
    expect(response.headers.get('x-host')).toBeTruthy()
    expect(response.status).toBe(401)
  }),
]
