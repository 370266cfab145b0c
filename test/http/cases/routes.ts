import { notAllowed, problem } from '../support/answers.ts'
import { absentId, type Case, row } from './case.ts'

export const routeCases: readonly Case[] = [
  ...[
    '/client/user/',
    `/client/user/${absentId}/`,
    '/client/user//',
    '/client/user/auth/login/',
    '/client/user/auth/LOGIN/x',
    `/client/user/${absentId}/nothing`,
    `/client/user/${absentId}//activate`,
    '/client/user/./x',
    `/client/user/${absentId}/Activate`,
    '/client/user/%61uth/login',
    `/client/user/${absentId}/%61ctivate`,
  ].map((path) => row(`no route: ${path}`, { path }, problem('route_not_found'))),
  ...['/client/user/%', '/client/user/%zz', '/client/user/%ff', '/client/user/%c0%af'].map((path) =>
    row(`broken percent-encoding: ${path}`, { path }, problem('route_not_found')),
  ),
  // Frameworks bound what they match; ours is the answer whatever the length.
  ...['a'.repeat(101), 'a'.repeat(3000), '..%2f..', '%2e%2e', '%252e', ';', '*', ':id'].map((id) =>
    row(
      `an id that is none: ${id.slice(0, 10)} (${id.length})`,
      { path: `/client/user/${id}` },
      problem('user_not_found'),
    ),
  ),
  row('405 on the collection', { method: 'DELETE' }, notAllowed('POST, GET, HEAD')),
  row('405 on the collection: PUT', { method: 'PUT', json: {} }, notAllowed('POST, GET, HEAD')),
  row('405 on the collection: OPTIONS', { method: 'OPTIONS' }, notAllowed('POST, GET, HEAD')),
  row(
    '405 on a user',
    { method: 'POST', path: `/client/user/${absentId}`, json: {} },
    notAllowed('GET, HEAD, PUT, PATCH, DELETE'),
  ),
  row('405 on activate', { path: `/client/user/${absentId}/activate` }, notAllowed('POST')),
  row('405 on login', { path: '/client/user/auth/login' }, notAllowed('POST')),
  row(
    '405 on login: HEAD',
    { method: 'HEAD', path: '/client/user/auth/login' },
    { ...notAllowed('POST'), body: '' },
  ),
  row(
    '405 on jwks',
    { method: 'POST', path: `/client/account/${absentId}/.well-known/jwks.json`, json: {} },
    notAllowed('GET, HEAD'),
  ),
  row('405 for a method that few know', { method: 'PROPFIND' }, notAllowed('POST, GET, HEAD')),
  row('405 for QUERY, without a content type', { method: 'QUERY' }, notAllowed('POST, GET, HEAD')),
  row(
    'no such route comes before the key',
    { path: '/client/user/a/b', key: null },
    problem('route_not_found'),
  ),
]
