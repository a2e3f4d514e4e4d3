//! The end of the service.

use super::*;

#[tokio::test]
async fn what_runs_is_finished() {
    let mut server = plain(patient());
    let mut idle = server.connect().await;
    idle.write_all(GET).await.unwrap();
    one_answer(&mut idle).await;
    let mut fresh = server.connect().await;
    let mut running = server.connect().await;
    running.write_all(b"GET /wait HTTP/1.1\r\nHost: a\r\n\r\n").await.unwrap();
    bounded(server.probe.waiting.notified()).await;
    server.stop.take().unwrap().send(()).unwrap();
    assert_eq!(rest(&mut idle).await, "");
    assert_eq!(rest(&mut fresh).await, "");
    assert!(TcpStream::connect(server.addresses[0]).await.is_err(), "nobody gets in any more");
    server.probe.go_on.notify_one();
    let answer = rest(&mut running).await;
    assert_eq!(status_and_body(&answer).0, "200");
    assert!(answer.contains("connection: close"), "{answer}");
    assert_eq!(bounded(server.ended).await.unwrap(), 0);
}

#[tokio::test]
async fn what_does_not_end_is_cut_off() {
    let server = plain(Limits { drain: SOON, ..patient() });
    let mut stream = server.connect().await;
    stream.write_all(b"GET /endless HTTP/1.1\r\nHost: a\r\n\r\n").await.unwrap();
    let mut start = [0; 15];
    bounded(stream.read_exact(&mut start)).await.unwrap();
    assert_eq!(server.stop().await, 1);
    rest(&mut stream).await;
}

#[tokio::test]
async fn streams_hear_of_the_end() {
    let listeners = any_port(&["127.0.0.1:0"]);
    let address = listeners[0].address();
    let service = |_: Request<Incoming>, connection: Arc<Connection>| async move {
        let end = async move {
            connection.closing().await;
            None::<(Result<bytes::Bytes, std::io::Error>, ())>
        };
        let stream = futures_util::stream::once(end);
        let stream = futures_util::StreamExt::filter_map(stream, async |_| {
            None::<Result<bytes::Bytes, std::io::Error>>
        });
        Response::new(Body::from_stream(stream))
    };
    let (stop, stopped) = oneshot::channel::<()>();
    let settings = Settings { limits: patient(), ..Settings::default() };
    let ended = tokio::spawn(serve(listeners, Arc::new(service), settings, async {
        let _ = stopped.await;
    }));
    let mut stream = TcpStream::connect(address).await.unwrap();
    stream.write_all(GET).await.unwrap();
    let mut start = [0; 15];
    bounded(stream.read_exact(&mut start)).await.unwrap();
    stop.send(()).unwrap();
    assert!(rest(&mut stream).await.ends_with("0\r\n\r\n"), "whole, not cut");
    assert_eq!(bounded(ended).await.unwrap(), 0);
}
