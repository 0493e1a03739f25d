import { Device, deviceSearch } from '../devices.ts'
import {
  DeviceGroup,
  DeviceGroupMembership,
  DeviceGroupMembershipRequest,
  deviceGroupSearch,
  PersonGroup,
  personGroupSearch,
} from '../groups.ts'
import { Person, personSearch } from '../people.ts'
import { defineOperations, json, list } from './define-operations.ts'

export const groupOperations = defineOperations({
  listPersonGroups: list({
    path: '/person_groups',
    permission: 'read',
    summary: 'List person groups',
    tag: 'Person groups',
    search: personGroupSearch,
    record: PersonGroup,
  }),
  getPersonGroup: json({
    method: 'GET',
    path: '/person_groups/:id',
    permission: 'read',
    summary: 'Read a person group',
    tag: 'Person groups',
    answer: PersonGroup,
  }),
  listGroupsOfPerson: list({
    path: '/people/:personId/person_groups',
    permission: 'read',
    summary: 'List the groups of a person',
    tag: 'People',
    search: personGroupSearch,
    record: PersonGroup,
  }),
  listPeopleOfGroup: list({
    path: '/person_groups/:personGroupId/people',
    permission: 'read',
    summary: 'List the people of a group',
    tag: 'Person groups',
    search: personSearch,
    record: Person,
  }),
  listDeviceGroups: list({
    path: '/device_groups',
    permission: 'read',
    summary: 'List device groups',
    tag: 'Device groups',
    search: deviceGroupSearch,
    record: DeviceGroup,
  }),
  getDeviceGroup: json({
    method: 'GET',
    path: '/device_groups/:id',
    permission: 'read',
    summary: 'Read a device group',
    tag: 'Device groups',
    answer: DeviceGroup,
  }),
  listDevicesOfGroup: list({
    path: '/device_groups/:deviceGroupId/devices',
    permission: 'read',
    summary: 'List the devices of a device group',
    tag: 'Device groups',
    search: deviceSearch,
    record: Device,
  }),
  addDeviceGroupMembers: json({
    method: 'POST',
    path: '/device_groups/:deviceGroupId/memberships',
    permission: 'manage_device_groups',
    summary: 'Add devices to a device group',
    description: 'Adds all of the devices or none, up to 1,000 in a call. Devices already in the group stay.',
    tag: 'Device groups',
    body: DeviceGroupMembershipRequest,
    answer: DeviceGroupMembership,
  }),
  removeDeviceGroupMember: json({
    method: 'DELETE',
    path: '/device_groups/:deviceGroupId/memberships/:id',
    permission: 'manage_device_groups',
    summary: 'Remove a device from a device group',
    description: 'The last part of the path is the identifier of the device.',
    tag: 'Device groups',
    answer: DeviceGroupMembership,
  }),
})
