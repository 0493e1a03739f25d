import type { Platform } from './operating-systems.ts'

/**
 * The osquery tables that a simulated device knows, with their columns as osquery's documentation lists them.
 * Any other table answers `no such table`, as it does on a device of another platform.
 */
const everywhere: Record<string, string> = {
  arp_cache: 'address mac interface permanent',
  certificates:
    'common_name subject issuer ca self_signed not_valid_before not_valid_after signing_algorithm key_algorithm key_strength key_usage subject_key_id authority_key_id sha1 path serial sid store_location store username store_id issuer2 subject2',
  chrome_extensions:
    'browser_type uid name profile profile_path referenced_identifier identifier version description default_locale current_locale update_url author persistent path permissions permissions_json optional_permissions optional_permissions_json manifest_hash referenced from_webstore state install_time install_timestamp manifest_json key',
  cpu_info:
    'device_id model manufacturer processor_type cpu_status number_of_cores logical_processors address_width current_clock_speed max_clock_speed socket_designation availability load_percentage number_of_efficiency_cores number_of_performance_cores',
  etc_hosts: 'address hostnames pid_with_namespace',
  file: 'path directory filename inode uid gid mode device size block_size atime mtime ctime btime hard_links symlink type symlink_target_path attributes volume_serial file_id file_version product_version original_filename shortcut_target_path shortcut_target_type shortcut_target_location shortcut_start_in shortcut_run shortcut_comment bsd_flags pid_with_namespace mount_namespace_id',
  firefox_addons:
    'uid name identifier creator type version description source_url visible active disabled autoupdate location path',
  groups: 'gid gid_signed groupname group_sid comment is_hidden pid_with_namespace',
  hash: 'path directory md5 sha1 sha256 ssdeep pid_with_namespace mount_namespace_id',
  interface_addresses: 'interface address mask broadcast point_to_point type friendly_name',
  interface_details:
    'interface mac type mtu metric flags ipackets opackets ibytes obytes ierrors oerrors idrops odrops collisions last_change link_speed pci_slot friendly_name description manufacturer connection_id connection_status enabled physical_adapter speed service dhcp_enabled dhcp_lease_expires dhcp_lease_obtained dhcp_server dns_domain dns_domain_suffix_search_order dns_host_name dns_server_search_order',
  listening_ports: 'pid port protocol family address fd socket path net_namespace',
  logged_in_users: 'type user tty host time pid sid registry_hive',
  npm_packages:
    'name version description author license homepage path directory uid pid_with_namespace mount_namespace_id',
  os_version:
    'name version major minor patch build platform platform_like codename arch extra install_date revision pid_with_namespace mount_namespace_id',
  osquery_flags: 'name type description default_value value shell_only',
  osquery_info:
    'pid uuid instance_id version config_hash config_valid extensions build_platform build_distro start_time watcher platform_mask',
  osquery_registry: 'registry name owner_uuid internal active',
  osquery_schedule:
    'name query interval executions last_executed denylisted output_size wall_time wall_time_ms last_wall_time_ms user_time last_user_time system_time last_system_time average_memory last_memory',
  platform_info: 'vendor version date revision extra firmware_type address size volume_size',
  process_open_sockets:
    'pid fd socket family protocol local_address remote_address local_port remote_port path state net_namespace',
  processes:
    'pid name path cmdline state cwd root uid gid euid egid suid sgid on_disk wired_size resident_size total_size user_time system_time disk_bytes_read disk_bytes_written start_time parent pgroup threads nice elevated_token secure_process protection_type virtual_process elapsed_time handle_count percent_processor_time upid uppid cpu_type cpu_subtype translated cgroup_path',
  python_packages: 'name version summary author license path directory pid_with_namespace uid',
  routes: 'destination netmask gateway source flags interface mtu metric type hopcount',
  secureboot: 'secure_boot secure_mode description kernel_extensions mdm_operations setup_mode',
  ssh_configs: 'uid block option ssh_config_file',
  system_info:
    'hostname uuid cpu_type cpu_subtype cpu_brand cpu_physical_cores cpu_logical_cores cpu_sockets cpu_microcode physical_memory hardware_vendor hardware_model hardware_version hardware_serial board_vendor board_model board_version board_serial computer_name local_hostname emulated_cpu_type',
  time: 'weekday year month day hour minutes seconds timezone local_timezone unix_time timestamp datetime iso_8601 win_timestamp',
  uptime: 'days hours minutes seconds total_seconds',
  user_groups: 'uid gid',
  user_ssh_keys: 'uid path encrypted key_type key_group_name key_length key_security_bits pid_with_namespace',
  users:
    'uid gid uid_signed gid_signed username description directory shell uuid type is_hidden pid_with_namespace include_remote',
  vscode_extensions: 'name uuid version path publisher publisher_id installed_at prerelease uid vscode_edition',
  yara: 'path matches count sig_group sigfile sigrule strings tags sigurl',
}

const onUnix: Record<string, string> = {
  augeas: 'node value label path',
  authorized_keys: 'uid algorithm key options comment key_file pid_with_namespace',
  block_devices: 'name parent vendor model serial size block_size uuid type label',
  crontab: 'event minute hour day_of_month month day_of_week command path pid_with_namespace',
  disk_encryption: 'name uuid encrypted type encryption_status uid user_uuid filevault_status',
  dns_resolvers: 'id type address netmask options pid_with_namespace',
  docker_containers:
    'id name image image_id command created state status pid path config_entrypoint started_at finished_at privileged security_options env_variables readonly_rootfs cgroup_namespace ipc_namespace mnt_namespace net_namespace pid_namespace user_namespace uts_namespace',
  kernel_info: 'version arguments path device',
  mounts: 'device device_alias path type blocks_size blocks blocks_free blocks_available inodes inodes_free flags',
  process_open_files: 'pid fd path',
  sudoers: 'source header rule_details',
  suid_bin: 'path username groupname permissions pid_with_namespace',
  system_controls: 'name oid subsystem current_value config_value type field_name',
  usb_devices: 'usb_address usb_port vendor vendor_id version model model_id serial class subclass protocol removable',
}

const onMac: Record<string, string> = {
  alf: 'allow_signed_enabled firewall_unload global_state logging_enabled logging_option stealth_enabled version',
  apps: 'name path bundle_executable bundle_identifier bundle_name bundle_short_version bundle_version bundle_package_type environment element compiler development_region display_name info_string minimum_system_version category applescript_enabled copyright last_opened_time',
  battery:
    'manufacturer manufacture_date model serial_number cycle_count health condition state charging charged designed_capacity max_capacity current_capacity percent_remaining amperage voltage minutes_until_empty minutes_to_full_charge chemistry',
  gatekeeper: 'assessments_enabled dev_id_enabled version opaque_version',
  homebrew_packages: 'name path version type auto_updates app_name prefix',
  kernel_extensions: 'idx refs size name version linked_against path',
  launchd:
    'path name label program run_at_load keep_alive on_demand disabled username groupname stdout_path stderr_path start_interval program_arguments watch_paths queue_directories inetd_compatibility start_on_mount root_directory working_directory process_type',
  managed_policies: 'domain uuid name value username manual',
  nvram: 'name type value',
  package_receipts: 'package_id package_filename version location install_time installer_name path',
  password_policy: 'uid policy_identifier policy_content policy_description',
  plist: 'key subkey value path',
  preferences: 'domain key subkey value forced username host',
  safari_extensions: 'uid name identifier version sdk description path bundle_version copyright',
  screenlock: 'enabled grace_period',
  sharing_preferences:
    'screen_sharing file_sharing printer_sharing remote_login remote_management remote_apple_events internet_sharing bluetooth_sharing disc_sharing content_caching',
  signature: 'path hash_resources arch signed identifier cdhash team_identifier authority entitlements hash_executable',
  sip_config: 'config_flag enabled enabled_nvram',
  startup_items: 'name path args type source status username',
  system_extensions: 'path UUID state identifier version category bundle_path team mdm_managed',
  time_machine_backups: 'destination_id backup_date',
  time_machine_destinations:
    'alias destination_id consistency_scan_date root_volume_uuid bytes_available bytes_used encryption',
  wifi_status:
    'interface ssid bssid network_name country_code security_type rssi noise channel channel_width channel_band transmit_rate mode',
  xprotect_meta: 'identifier type developer_id min_version',
}

const onLinux: Record<string, string> = {
  apparmor_profiles: 'path name attach mode sha1',
  apt_sources: 'name source base_uri release version maintainer components architectures pid_with_namespace',
  deb_packages:
    'name version source size arch revision status maintainer section priority admindir pid_with_namespace mount_namespace_id',
  iptables:
    'filter_name chain policy target protocol src_port dst_port src_ip src_mask iniface iniface_mask dst_ip dst_mask outiface outiface_mask match packets bytes',
  kernel_modules: 'name size used_by status address',
  memory_info:
    'memory_total memory_free memory_available buffers cached swap_cached active inactive swap_total swap_free',
  rpm_packages:
    'name version release source size sha1 arch epoch install_time vendor package_group pid_with_namespace mount_namespace_id',
  selinux_settings: 'scope key value',
  shadow: 'password_status hash_alg last_change min max warning inactive expire flag username',
  systemd_units:
    'id description load_state active_state sub_state unit_file_state following object_path job_id job_type job_path fragment_path user source_path',
  yum_sources: 'name baseurl mirrorlist enabled gpgcheck gpgkey pid_with_namespace',
}

const onWindows: Record<string, string> = {
  bitlocker_info:
    'device_id drive_letter persistent_volume_id conversion_status protection_status encryption_method version percentage_encrypted lock_status',
  chocolatey_packages: 'name version summary author license path',
  disk_info:
    'partitions disk_index type id pnp_device_id disk_size manufacturer hardware_model name serial description',
  drivers:
    'device_id device_name image description service service_key version inf class provider manufacturer driver_key date signed',
  ie_extensions: 'name registry_path version path',
  logical_drives: 'device_id type description free_space size file_system boot_partition',
  ntdomains:
    'name client_site_name dc_site_name dns_forest_name domain_controller_address domain_controller_name domain_name status',
  patches: 'csname hotfix_id caption description fix_comments installed_by install_date installed_on',
  programs:
    'name version install_location install_source language publisher uninstall_string install_date identifying_number package_family_name upgrade_code',
  registry: 'key path name type data mtime',
  scheduled_tasks: 'name action path enabled state hidden last_run_time next_run_time last_run_message last_run_code',
  security_profile_info:
    'minimum_password_age maximum_password_age minimum_password_length password_complexity password_history_size lockout_bad_count logon_to_change_password force_logoff_when_expire new_administrator_name new_guest_name clear_text_password lsa_anonymous_name_lookup enable_admin_account enable_guest_account audit_system_events audit_logon_events audit_object_access audit_privilege_use audit_policy_change audit_account_manage audit_process_tracking audit_ds_access audit_account_logon',
  services:
    'name service_type display_name status pid start_type win32_exit_code service_exit_code path module_path description user_account',
  shared_resources: 'description install_date status allow_maximum maximum_allowed name path type type_name',
  startup_items: 'name path args type source status username',
  tpm_info:
    'activated enabled owned manufacturer_version manufacturer_id manufacturer_name product_name physical_presence_version spec_version',
  video_info: 'color_depth driver driver_date driver_version manufacturer model series video_mode',
  windows_firewall_rules:
    'name app_name action enabled grouping direction protocol local_addresses remote_addresses local_ports remote_ports icmp_types_codes profile_domain profile_private profile_public service_name',
  windows_optional_features: 'name caption state statename',
  windows_security_center:
    'firewall autoupdate antivirus antispyware internet_settings windows_security_center_service user_account_control',
  windows_security_products: 'type name state state_timestamp remediation_path signatures_up_to_date',
  windows_update_history:
    'client_app_id date description hresult operation result_code server_selection service_id support_url title update_id update_revision',
}

const ofPlatform: Record<Platform, Record<string, string>> = {
  darwin: { ...everywhere, ...onUnix, ...onMac },
  linux: { ...everywhere, ...onUnix, ...onLinux },
  windows: { ...everywhere, ...onWindows },
}

/** The columns of a table on a platform, or undefined where the table does not exist. */
export function columnsOf(platform: Platform, table: string): string[] | undefined {
  const columns = ofPlatform[platform]
  return Object.hasOwn(columns, table) ? columns[table]?.split(' ') : undefined
}

export function tableNames(platform: Platform): string[] {
  return Object.keys(ofPlatform[platform])
}
