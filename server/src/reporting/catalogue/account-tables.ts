import { columnList, hourly, type InventoryTable } from '../reporting-table.ts'

const category = 'Accounts'

const usersQuery = 'SELECT uid, gid, username, description, directory, shell, uuid FROM users'

const users: InventoryTable = {
  kind: 'inventory',
  name: 'device_users',
  category,
  description: 'Local accounts, those of the system included.',
  aboutPeople: 'Account names, the full names kept with them, and home folders.',
  intervalSeconds: hourly,
  columns: columnList(
    {
      uid: 'Number of the account.',
      gid: 'Number of its main group.',
      username: 'Name of the account.',
      description: 'Full name or description.',
      directory: 'Home folder.',
      shell: 'Program that starts at sign-in.',
      uuid: 'Identifier on macOS, security identifier on Windows.',
    },
    ['uid', 'gid'],
  ),
  queries: { darwin: usersQuery, linux: usersQuery, windows: usersQuery },
}

const userGroupsQuery =
  'SELECT u.username, g.groupname FROM user_groups m JOIN users u ON u.uid = m.uid JOIN groups g ON g.gid = m.gid'

const userGroups: InventoryTable = {
  kind: 'inventory',
  name: 'device_user_groups',
  category,
  description: 'Which local account is in which local group.',
  aboutPeople: 'Account names.',
  intervalSeconds: hourly,
  columns: columnList({ username: 'Name of the account.', groupname: 'Name of the group.' }),
  queries: { darwin: userGroupsQuery, linux: userGroupsQuery, windows: userGroupsQuery },
}

const sessionsQuery = `SELECT DISTINCT user AS username, type, host FROM logged_in_users WHERE user <> ''`

const loggedInUsers: InventoryTable = {
  kind: 'inventory',
  name: 'device_logged_in_users',
  category,
  description: 'Who is signed in when the device reports. Times of sessions are not read.',
  aboutPeople: 'Account names, and the addresses that remote sessions come from.',
  intervalSeconds: hourly,
  columns: columnList({
    username: 'Name of the account.',
    type: 'Kind of session.',
    host: 'Where a remote session comes from.',
  }),
  queries: { darwin: sessionsQuery, linux: sessionsQuery, windows: sessionsQuery },
}

const sshKeysQuery = `SELECT u.username, k.path, k.encrypted, k.key_type FROM users u CROSS JOIN user_ssh_keys k USING (uid)`

const sshKeys: InventoryTable = {
  kind: 'inventory',
  name: 'device_ssh_keys',
  category,
  description: 'Private SSH keys in home folders and whether a passphrase protects them. The keys are not read out.',
  aboutPeople: 'Account names and the paths of key files.',
  intervalSeconds: hourly,
  columns: columnList(
    {
      username: 'Account that the key belongs to.',
      path: 'File of the key.',
      encrypted: '1 when a passphrase protects it.',
      key_type: 'Kind of key.',
    },
    ['encrypted'],
  ),
  queries: { darwin: sshKeysQuery, linux: sshKeysQuery, windows: sshKeysQuery },
}

export const accountTables = [users, userGroups, loggedInUsers, sshKeys]
