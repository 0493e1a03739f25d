import { DeviceAuthenticationMode, DeviceAuthenticationModeRequest } from '../device-authentication-modes.ts'
import { Device, DeviceRegistration, DeviceRegistrationRequest, deviceSearch } from '../devices.ts'
import { OwnerListPreview, OwnerListRequest, Registrations, RegistrationsRequest } from '../owner-lists.ts'
import { defineOperations, json, list } from './define-operations.ts'

export const deviceOperations = defineOperations({
  listDevices: list({
    path: '/devices',
    permission: 'read',
    summary: 'List devices',
    tag: 'Devices',
    search: deviceSearch,
    record: Device,
  }),
  getDevice: json({
    method: 'GET',
    path: '/devices/:id',
    permission: 'read',
    summary: 'Read a device',
    tag: 'Devices',
    answer: Device,
  }),
  listDevicesOfPerson: list({
    path: '/people/:personId/registered_devices',
    permission: 'read',
    summary: 'List the devices registered to a person',
    tag: 'Devices',
    search: deviceSearch,
    record: Device,
  }),
  updateDeviceAuthenticationMode: json({
    method: 'PATCH',
    path: '/devices/:deviceId/authentication_mode',
    permission: 'update_devices',
    summary: 'Change who can sign in with a device',
    tag: 'Devices',
    body: DeviceAuthenticationModeRequest,
    answer: DeviceAuthenticationMode,
  }),
  deleteDevice: json({
    method: 'DELETE',
    path: '/devices/:id',
    permission: 'remove_devices',
    summary: 'Delete a device',
    description:
      'The device disappears from the API and its agent is refused at once. Administrators can restore it for some time; then it is permanently deleted.',
    tag: 'Devices',
    answer: Device,
  }),
  assignDeviceOwner: json({
    method: 'PATCH',
    path: '/devices/:deviceId/registration',
    permission: 'update_devices',
    summary: 'Register a device to a person',
    description:
      'The person becomes the owner, who can sign in with the device. What the device fails counts from now: it can be blocked at once by checks that block immediately, and after the grace period by others. Nothing changes where the device is theirs already. A device that has another owner also needs Remove Devices, one whose registration is suspended Manage User Requests.',
    tag: 'Devices',
    body: DeviceRegistrationRequest,
    answer: DeviceRegistration,
  }),
  registerDevices: json({
    method: 'POST',
    path: '/registrations',
    permission: 'update_devices',
    summary: 'Register several devices to people',
    description:
      'As registering each of them; one that is refused does not hold up the others. A device that has another owner also needs Remove Devices, one whose registration is suspended Manage User Requests.',
    tag: 'Devices',
    body: RegistrationsRequest,
    answer: Registrations,
  }),
  previewOwnerList: json({
    method: 'POST',
    path: '/owner_list_previews',
    permission: 'update_devices',
    summary: 'Preview what a list of owners would change',
    description:
      'Reads a CSV list of devices and their owners, such as an export of a device management, and says line by line what was understood and what it would do. Nothing changes: register the devices afterwards. 429 when too many lists are being read.',
    tag: 'Devices',
    body: OwnerListRequest,
    answer: OwnerListPreview,
  }),
  deleteDeviceRegistration: json({
    method: 'DELETE',
    path: '/devices/:deviceId/registration',
    permission: 'remove_devices',
    summary: 'End the registration of a device',
    description:
      "The owner can no longer sign in with the device. If it was the person's only one, they may register another without approval. This one they have to ask for. A phone or tablet is deleted with its registration.",
    tag: 'Devices',
    answer: DeviceRegistration,
  }),
})
