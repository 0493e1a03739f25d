import { Issue, issueSearch } from '../issues.ts'
import { defineOperations, json, list } from './define-operations.ts'

export const issueOperations = defineOperations({
  listIssues: list({
    path: '/issues',
    permission: 'read',
    summary: 'List issues, open and resolved',
    tag: 'Issues',
    search: issueSearch,
    record: Issue,
  }),
  getIssue: json({
    method: 'GET',
    path: '/issues/:id',
    permission: 'read',
    summary: 'Read an issue',
    tag: 'Issues',
    answer: Issue,
  }),
  listOpenIssuesOfDevice: list({
    path: '/devices/:deviceId/open_issues',
    permission: 'read',
    summary: 'List the open issues of a device',
    tag: 'Issues',
    search: issueSearch,
    record: Issue,
  }),
  listOpenIssuesOfPerson: list({
    path: '/people/:personId/open_issues',
    permission: 'read',
    summary: 'List the open issues of the devices of a person',
    tag: 'Issues',
    search: issueSearch,
    record: Issue,
  }),
})
