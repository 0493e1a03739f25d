import { columnList, hourly, type InventoryTable } from '../reporting-table.ts'
import { accountName, accountNameText } from './told-values.ts'

const category = 'Accounts'

const usersQuery = 'SELECT uid, gid, username, description, directory, shell, uuid FROM users'
// osquery keeps -1, its "no group", in 32 bits without a sign.
const windowsUsersQuery = `SELECT uid, CASE WHEN gid BETWEEN 0 AND 4294967294 THEN gid ELSE '' END AS gid, username, description, directory, shell, uuid FROM users`

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
      gid: 'Number of its main group; blank where Windows does not tell.',
      username:
        'Name of the account; blank for people of Microsoft Entra and domains whose name Windows cannot look up, see uuid.',
      description: 'Full name or description; of the accounts of Windows itself, in the language of the device.',
      directory: 'Home folder.',
      shell: 'Program that starts at sign-in.',
      uuid: 'Identifier on macOS, security identifier on Windows.',
    },
    ['uid', 'gid'],
  ),
  queries: { darwin: usersQuery, linux: usersQuery, windows: windowsUsersQuery },
}

const userGroupsQuery = `SELECT ${accountName}, g.groupname, g.gid FROM user_groups m JOIN users u ON u.uid = m.uid JOIN groups g ON g.gid = m.gid`

const userGroups: InventoryTable = {
  kind: 'inventory',
  name: 'device_user_groups',
  category,
  description: 'Which local account is in which local group.',
  aboutPeople: 'Account names.',
  intervalSeconds: hourly,
  columns: columnList(
    {
      username: accountNameText('Name of the account'),
      groupname: 'Name of the group; on Windows in the language of the device.',
      gid: 'Number of the group. Administrators are 544 on Windows and 80 on macOS in every language.',
    },
    ['gid'],
  ),
  queries: { darwin: userGroupsQuery, linux: userGroupsQuery, windows: userGroupsQuery },
}

const sessionsQuery = `SELECT DISTINCT user AS username, type, host FROM logged_in_users WHERE user <> ''`
// For a session over IPv6 osquery gives the memory of a Windows structure. No text has NUL, and that memory always does.
const windowsSessionsQuery = `SELECT DISTINCT user AS username, type, CASE WHEN instr(CAST(host AS BLOB), x'00') = 0 THEN host ELSE '' END AS host FROM logged_in_users WHERE user <> ''`

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
    host: 'Where a remote session comes from; blank on Windows when it comes over IPv6.',
  }),
  queries: { darwin: sessionsQuery, linux: sessionsQuery, windows: windowsSessionsQuery },
}

const sshKeysQuery = `SELECT ${accountName}, k.path, k.encrypted, k.key_type FROM users u CROSS JOIN user_ssh_keys k USING (uid)`

const sshKeys: InventoryTable = {
  kind: 'inventory',
  name: 'device_ssh_keys',
  category,
  description: 'Private SSH keys in home folders and whether a passphrase protects them. The keys are not read out.',
  aboutPeople: 'Account names and the paths of key files.',
  intervalSeconds: hourly,
  columns: columnList(
    {
      username: accountNameText('Account that the key belongs to'),
      path: 'File of the key.',
      encrypted: '1 when a passphrase protects it.',
      key_type: 'Kind of key; blank for every key in the format of OpenSSH, also for a handle of a security key.',
    },
    ['encrypted'],
  ),
  queries: { darwin: sshKeysQuery, linux: sshKeysQuery, windows: sshKeysQuery },
}

export const accountTables = [users, userGroups, loggedInUsers, sshKeys]
