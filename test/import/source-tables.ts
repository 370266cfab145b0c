// The tables that the guide's queries read, with the columns that they read and one user each, by the query's file.
export const sourceTables: Record<string, string> = {
  'supabase.sql': `
    create schema auth;
    create table auth.users (
      id uuid primary key, email varchar(255), encrypted_password varchar(255),
      email_confirmed_at timestamptz, raw_user_meta_data jsonb, created_at timestamptz,
      updated_at timestamptz, banned_until timestamptz, deleted_at timestamptz,
      is_sso_user boolean not null default false, is_anonymous boolean not null default false
    );
    insert into auth.users values (
      '4f3a3a0e-6c1b-4d5f-9a53-0b7d9c1f2e11', 'ada@example.com',
      '$2a$10$ayjIgzPe1iD2S8BiPo8UBuYMzvZZ3IbDC.P4kbSZ6pwIaszXoCpU.', '2024-01-02T04:00:00Z',
      '{"full_name":" Ada Lovelace "}', '2024-01-02T03:04:05.678901Z', '2024-05-06T07:08:09.012345Z'
    ), (
      '5f3a3a0e-6c1b-4d5f-9a53-0b7d9c1f2e12', '', null, null, '{}', '2024-01-03T00:00:00Z', '2024-01-03T00:00:00Z'
    );
    update auth.users set is_anonymous = true where email = ''`,
  'better-auth.sql': `
    create table "user" (
      id text primary key, name text not null, email text not null unique,
      "emailVerified" boolean not null, image text, "createdAt" timestamp not null, "updatedAt" timestamp not null
    );
    create table account (
      id text primary key, "accountId" text not null, "providerId" text not null, "userId" text not null, password text
    );
    insert into "user" values (
      'zOZ3v1wFq0mGEbVdmvTpTQOAoMtSD5Yc', 'Ada Lovelace', 'ada@example.com', true, null,
      '2024-01-02T03:04:05.678', '2024-05-06T07:08:09.012'
    );
    insert into account values (
      '1', 'zOZ3v1wFq0mGEbVdmvTpTQOAoMtSD5Yc', 'credential', 'zOZ3v1wFq0mGEbVdmvTpTQOAoMtSD5Yc',
      '2fbe1be3bdd3bfc6ff662b4cdaf2ed1a:fc3c3ed30dbcea5b9b777e7745b61cbd786937f6ab2fc4895a3db96dd9a723561d6770972d739bbac79ce1748c39cc6e89bf23620aca5353a24fba6e435b0763'
    ), ('2', '1234', 'github', 'zOZ3v1wFq0mGEbVdmvTpTQOAoMtSD5Yc', null)`,
  'devise.sql': `
    create table users (
      id bigint primary key, email varchar not null, encrypted_password varchar not null,
      confirmed_at timestamp, created_at timestamp(6) not null, updated_at timestamp(6) not null
    );
    insert into users values (
      1, 'ada@example.com', '$2a$12$X67ZS3ZkzRyEb2QGQMKBqeLuXk5q7kZCXUK6HhRi9NfwEgTvETwG6',
      '2024-01-02T04:00:00', '2024-01-02T03:04:05.678901', '2024-05-06T07:08:09.012345'
    )`,
  'spring.sql': `
    create table users (username varchar(50) primary key, password varchar(500) not null, enabled boolean not null);
    create table authorities (username varchar(50) not null references users, authority varchar(50) not null);
    insert into users values (
      'ada@example.com', '{bcrypt}$2a$10$nj/GIyCBO8Ial75qCbSsquhI6NclaLqIfs2GNXeHhjbs4eq8BsgE2', true
    );
    insert into authorities values ('ada@example.com', 'ROLE_USER'), ('ada@example.com', 'ROLE_ADMIN')`,
}
