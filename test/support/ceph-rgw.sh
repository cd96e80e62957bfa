#!/usr/bin/env bash
# Starts a Ceph object gateway (S3) on loopback that keeps everything in memory.
# Usage: ceph-rgw.sh <directory> <port> <port of the monitor>. Process ids are in <directory>/*.pid, keys are test / testsecret.
set -euo pipefail
directory=$1 port=$2 monitor=$3
mkdir -p "$directory"/{mon,osd,run,log,rgw}
: >"$directory/keyring"
cluster=$(cat /proc/sys/kernel/random/uuid)
disk=$(cat /proc/sys/kernel/random/uuid)
# Without tcp_nodelay each GET waits 40 ms; with the default intervals, replaced objects stay for two hours.
cat >"$directory/ceph.conf" <<CONFIGURATION
[global]
fsid = $cluster
mon host = v1:127.0.0.1:$monitor
auth cluster required = none
auth service required = none
auth client required = none
osd pool default size = 1
osd pool default min size = 1
mon_allow_pool_size_one = true
osd crush chooseleaf type = 0
osd pool default pg num = 4
osd pool default pgp num = 4
osd_objectstore = memstore
memstore_device_bytes = 3221225472
rgw_gc_obj_min_wait = 2
rgw_gc_processor_period = 3
rgw_gc_processor_max_time = 60
run dir = $directory/run
admin socket = $directory/run/\$name.asok
log file = $directory/log/\$name.log
keyring = $directory/keyring
ms_bind_ipv6 = false
public_addr = 127.0.0.1
cluster_addr = 127.0.0.1
[mon.a]
mon data = $directory/mon
[osd.0]
osd data = $directory/osd
[client.rgw]
rgw frontends = beast endpoint=127.0.0.1:$port tcp_nodelay=1
rgw data = $directory/rgw
rgw_enable_ops_log = false
CONFIGURATION
options=(-c "$directory/ceph.conf")

start() {
  local name=$1
  shift
  "$@" -f >"$directory/log/$name.out" 2>&1 &
  echo $! >"$directory/$name.pid"
}

# Without a map the monitor takes its default port.
monmaptool --create --clobber --fsid "$cluster" --addv a "v1:127.0.0.1:$monitor" "$directory/monmap" >"$directory/log/monmap.out"
ceph-mon "${options[@]}" -i a --mkfs --mon-data "$directory/mon" --monmap "$directory/monmap" >"$directory/log/mkfs.out" 2>&1
start mon ceph-mon "${options[@]}" -i a
timeout 120 ceph "${options[@]}" osd new "$disk" >/dev/null
ceph-osd "${options[@]}" -i 0 --mkfs --osd-uuid "$disk" >>"$directory/log/mkfs.out" 2>&1
# It ends at once ("wrong fsid") if it comes before the monitor has told of itself.
for _ in $(seq 5); do
  start osd ceph-osd "${options[@]}" -i 0
  sleep 2
  kill -0 "$(cat "$directory/osd.pid")" 2>/dev/null && break
done
timeout 120 radosgw-admin "${options[@]}" -n client.rgw user create --uid=test --display-name=test \
  --access-key=test --secret-key=testsecret >"$directory/log/user.out" 2>&1
start rgw radosgw "${options[@]}" -n client.rgw
for _ in $(seq 480); do
  curl -sf -o /dev/null "http://127.0.0.1:$port/" && exit 0
  sleep 0.25
done
echo "The object gateway does not answer: see $directory/log" >&2
exit 1
