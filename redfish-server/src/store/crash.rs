//! The embedded store against crashes and damage.
//!
//! A process that writes is killed at any moment. What it leaves behind must be the state after its
//! last acknowledged write, or after the one that it was busy with; nothing else will do.

use std::collections::BTreeMap;
use std::fs;
use std::io::{BufRead as _, BufReader, Write as _};
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::Duration;

use super::{Error, Expect, Folder, Kind, Redb, Store};

const ROUNDS: u64 = 200;
const PATH: &str = "REDFISH_TEST_CRASH_PATH";
const FIRST: &str = "REDFISH_TEST_CRASH_FIRST";

fn block_on<T>(future: impl Future<Output = T>) -> T {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    runtime.unwrap().block_on(future)
}

async fn open(path: &Path) -> Result<Redb, Error> {
    Redb::open(Arc::new(Folder::open(path)?)).await
}

/// The nth write of all processes: an id, and what it then holds.
fn nth(n: u64) -> (String, Option<Vec<u8>>) {
    let length = usize::try_from(n * 37 % 9000).unwrap();
    let bytes = (n % 5 != 4).then(|| [n.to_string().as_bytes(), &vec![b'.'; length]].concat());
    ((n % 17).to_string(), bytes)
}

/// The process that is killed; as a test of its own it has nothing to do.
#[test]
fn child() {
    let (Ok(path), Ok(first)) = (std::env::var(PATH), std::env::var(FIRST)) else { return };
    block_on(async {
        let store = open(Path::new(&path)).await.unwrap();
        for n in first.parse::<u64>().unwrap().. {
            let (id, bytes) = nth(n);
            match bytes {
                Some(bytes) => store.put(Kind::Task, &id, bytes, Expect::Any).await.unwrap(),
                None => store.delete(Kind::Task, &id, Expect::Any).await.unwrap(),
            };
            // Past the harness, which would keep it.
            let mut out = std::io::stdout();
            out.write_all(format!("\nwrote {n}\n").as_bytes()).unwrap();
            out.flush().unwrap();
        }
    });
}

#[test]
fn acknowledged_writes_survive_kills() {
    let root = tempfile::tempdir().unwrap();
    let state = root.path().join("state");
    let mut model = BTreeMap::new();
    // Writes below this one are in the model.
    let mut next = 0;
    let apply = |model: &mut BTreeMap<String, Vec<u8>>, n| match nth(n) {
        (id, Some(bytes)) => drop(model.insert(id, bytes)),
        (id, None) => drop(model.remove(&id)),
    };
    for round in 0..ROUNDS {
        let mut child = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "store::crash::child", "--nocapture", "--test-threads=1"])
            .env(PATH, &state)
            .env(FIRST, next.to_string())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        // Some are killed before they have written anything, or while they open the store.
        let until = next + round * 7 % 11;
        let mut acknowledged = next;
        let acknowledge = |line: &str, acknowledged: &mut u64| {
            if let Some(n) = line.strip_prefix("wrote ") {
                *acknowledged = n.parse::<u64>().unwrap() + 1;
            }
        };
        while acknowledged < until {
            acknowledge(&lines.next().expect("the child goes on").unwrap(), &mut acknowledged);
        }
        std::thread::sleep(Duration::from_micros(round * 7919 % 4000));
        child.kill().unwrap();
        child.wait().unwrap();
        lines.map_while(Result::ok).for_each(|line| acknowledge(&line, &mut acknowledged));

        for n in next..acknowledged {
            apply(&mut model, n);
        }
        let found = block_on(async {
            let store = open(&state).await.unwrap();
            let records = store.load(Kind::Task).await.unwrap();
            records.into_iter().map(|r| (r.id, r.bytes)).collect::<BTreeMap<_, _>>()
        });
        next = acknowledged;
        if found != model {
            apply(&mut model, next);
            next += 1;
        }
        assert!(found == model, "round {round}: {acknowledged} writes were acknowledged");
    }
    assert!(next > ROUNDS, "{next} writes are too few to show anything");
}

#[test]
fn damage_is_named_and_never_a_new_start() {
    let check = |damage: &dyn Fn(&Path), expect: &str| {
        let root = tempfile::tempdir().unwrap();
        let state = root.path().join("state");
        let file = state.join("state.redb");
        block_on(async {
            let store = open(&state).await.unwrap();
            for n in 0..200u64 {
                let bytes = n.to_string().repeat(100).into_bytes();
                store.put(Kind::Task, &n.to_string(), bytes, Expect::Any).await.unwrap();
            }
        });
        damage(&file);
        for _ in 0..2 {
            let error = block_on(open(&state)).map(|_| ()).unwrap_err();
            assert!(matches!(error, Error::Damaged { .. } | Error::Newer { .. }), "{error:?}");
            assert!(error.to_string().contains(expect), "{error}");
        }
    };
    check(&|file| fs::write(file, "").unwrap(), "empty");
    check(&|file| fs::remove_file(file).unwrap(), "gone");
    check(&|file| fs::write(file, vec![7; 10_000]).unwrap(), "damaged");
    check(&|file| fs::write(file, "short").unwrap(), "damaged");
    check(
        &|file| {
            let length = fs::metadata(file).unwrap().len();
            fs::OpenOptions::new().write(true).open(file).unwrap().set_len(length / 2).unwrap();
        },
        "damaged",
    );
    check(
        &|file| {
            let mut bytes = fs::read(file).unwrap();
            // Every page, but for the head.
            bytes[4096..].iter_mut().step_by(64).for_each(|byte| *byte ^= 1);
            fs::write(file, bytes).unwrap();
        },
        "damaged",
    );
    check(
        &|file| {
            // One bit of one record, wherever it stands.
            let mut bytes = fs::read(file).unwrap();
            let record = b"199199199199";
            for at in 0..bytes.len() - record.len() {
                if bytes[at..].starts_with(record) {
                    bytes[at] ^= 1;
                }
            }
            fs::write(file, bytes).unwrap();
        },
        "damaged",
    );
    check(
        &|file| {
            let database = redb::Database::open(file).unwrap();
            let write = database.begin_write().unwrap();
            let meta = redb::TableDefinition::<&str, u64>::new("meta");
            write.open_table(meta).unwrap().insert("schema", 99).unwrap();
            write.commit().unwrap();
        },
        "version 99",
    );
    check(
        &|file| {
            fs::remove_file(file).unwrap();
            drop(redb::Database::create(file).unwrap());
            fs::set_permissions(file, fs::Permissions::from_mode(0o600)).unwrap();
        },
        "does not say",
    );
}

#[test]
fn a_crash_at_the_first_start_leaves_nothing_in_the_way() {
    let root = tempfile::tempdir().unwrap();
    let state = root.path().join("state");
    drop(Folder::open(&state).unwrap());
    let half = state.join("state.redb.new");
    fs::write(&half, "half").unwrap();
    fs::set_permissions(&half, fs::Permissions::from_mode(0o600)).unwrap();
    block_on(open(&state)).map(|_| ()).unwrap();
    assert!(!half.exists());
}
